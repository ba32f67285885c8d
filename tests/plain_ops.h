/* Every operator once more, as plainly as it can be written; included
 * twice, with P = float and P = double.  F(name) adds the suffix. */

static void F(plain_embedding)(P *x, const int32_t *tokens, const P *wte,
                               const P *wpe, int B, int T, int C)
{
    for (int n = 0; n < B * T; n++)
        for (int c = 0; c < C; c++)
            x[n * C + c] = wte[tokens[n] * C + c] + wpe[n % T * C + c];
}

static void F(plain_embedding_bwd)(P *dwte, P *dwpe, const P *dx,
                                   const int32_t *tokens, int B, int T,
                                   int C)
{
    for (int n = 0; n < B * T; n++)
        for (int c = 0; c < C; c++) {
            dwte[tokens[n] * C + c] += dx[n * C + c];
            dwpe[n % T * C + c] += dx[n * C + c];
        }
}

static void F(plain_layernorm)(P *y, P *mean, P *rstd, const P *x,
                               const P *w, const P *b, int N, int C)
{
    for (int n = 0; n < N; n++) {
        P m = 0, v = 0;
        for (int c = 0; c < C; c++)
            m += x[n * C + c];
        m /= (P)C;
        for (int c = 0; c < C; c++)
            v += (x[n * C + c] - m) * (x[n * C + c] - m);
        P r = 1 / (P)sqrt(v / (P)C + (P)1e-5f);
        for (int c = 0; c < C; c++)
            y[n * C + c] = (x[n * C + c] - m) * r * w[c] + b[c];
        mean[n] = m;
        rstd[n] = r;
    }
}

static void F(plain_layernorm_bwd)(P *dx, P *dw, P *db, const P *dy,
                                   const P *x, const P *mean,
                                   const P *rstd, const P *w, int N, int C)
{
    for (int n = 0; n < N; n++) {
        P a = 0, p = 0;
        for (int c = 0; c < C; c++) {
            P h = (x[n * C + c] - mean[n]) * rstd[n];
            a += dy[n * C + c] * w[c] / (P)C;
            p += dy[n * C + c] * w[c] * h / (P)C;
            dw[c] += dy[n * C + c] * h;
            db[c] += dy[n * C + c];
        }
        for (int c = 0; c < C; c++) {
            P h = (x[n * C + c] - mean[n]) * rstd[n];
            dx[n * C + c] += (dy[n * C + c] * w[c] - a - h * p) * rstd[n];
        }
    }
}

static void F(plain_linear)(P *y, const P *x, const P *w, const P *b,
                            int N, int C, int OC)
{
    for (int n = 0; n < N; n++)
        for (int o = 0; o < OC; o++) {
            P sum = b ? b[o] : 0;
            for (int c = 0; c < C; c++)
                sum += x[n * C + c] * w[c * OC + o];
            y[n * OC + o] = sum;
        }
}

static void F(plain_linear_bwd)(P *dx, P *dw, P *db, const P *dy,
                                const P *x, const P *w, int N, int C,
                                int OC)
{
    for (int n = 0; n < N; n++) {
        for (int c = 0; c < C; c++) {
            P sum = 0;
            for (int o = 0; o < OC; o++)
                sum += dy[n * OC + o] * w[c * OC + o];
            dx[n * C + c] = sum;
        }
        for (int o = 0; o < OC; o++) {
            for (int c = 0; c < C; c++)
                dw[c * OC + o] += x[n * C + c] * dy[n * OC + o];
            db[o] += dy[n * OC + o];
        }
    }
}

static void F(plain_attention)(P *y, P *lse, const P *qkv, int B, int T,
                               int C, int NH)
{
    int HS = C / NH;
    P *s = malloc((size_t)T * sizeof *s);
    for (int b = 0; b < B; b++)
        for (int h = 0; h < NH; h++)
            for (int t = 0; t < T; t++) {
                const P *q = qkv + (b * T + t) * 3 * C + h * HS;
                const P *k = qkv + b * T * 3 * C + C + h * HS;
                P most = -INFINITY, sum = 0;
                for (int u = 0; u <= t; u++) {
                    s[u] = 0;
                    for (int d = 0; d < HS; d++)
                        s[u] += q[d] * k[u * 3 * C + d];
                    s[u] /= (P)sqrt((P)HS);
                    most = s[u] > most ? s[u] : most;
                }
                for (int u = 0; u <= t; u++)
                    sum += s[u] = (P)EXP(s[u] - most);
                for (int d = 0; d < HS; d++) {
                    P o = 0;
                    for (int u = 0; u <= t; u++)
                        o += s[u] / sum * k[u * 3 * C + C + d];
                    y[(b * T + t) * C + h * HS + d] = o;
                }
                lse[(b * NH + h) * T + t] = most + (P)log(sum);
            }
    free(s);
}

/* From the textbook: all T x T probabilities are kept. */
static void F(plain_attention_bwd)(P *dqkv, const P *dy, const P *qkv,
                                   const P *lse, int B, int T, int C,
                                   int NH)
{
    int HS = C / NH, W = 3 * C;
    P *p = malloc((size_t)T * sizeof *p), *dp = malloc((size_t)T * sizeof *p);
    memset(dqkv, 0, (size_t)B * (size_t)T * (size_t)W * sizeof *dqkv);
    for (int b = 0; b < B; b++)
        for (int h = 0; h < NH; h++)
            for (int t = 0; t < T; t++) {
                int at = b * T * W + h * HS;
                const P *q = qkv + at + t * W, *k = qkv + at + C;
                const P *v = k + C, *g = dy + (b * T + t) * C + h * HS;
                P *dq = dqkv + at + t * W, *dk = dqkv + at + C;
                P *dv = dk + C, sum = 0, scale = 1 / (P)sqrt((P)HS);
                for (int u = 0; u <= t; u++) {
                    P s = 0;
                    dp[u] = 0;
                    for (int d = 0; d < HS; d++) {
                        s += q[d] * k[u * W + d];
                        dp[u] += g[d] * v[u * W + d];
                    }
                    p[u] = (P)EXP(s * scale - lse[(b * NH + h) * T + t]);
                    sum += p[u] * dp[u];
                }
                for (int u = 0; u <= t; u++)
                    for (int d = 0; d < HS; d++) {
                        P ds = p[u] * (dp[u] - sum) * scale;
                        dv[u * W + d] += p[u] * g[d];
                        dk[u * W + d] += ds * q[d];
                        dq[d] += ds * k[u * W + d];
                    }
            }
    free(p);
    free(dp);
}

static void F(plain_gelu)(P *y, const P *x, int n)
{
    for (int i = 0; i < n; i++) {
        P u = (P)0.7978845608028654 * (x[i] + (P)0.044715 * x[i] * x[i] * x[i]);
        y[i] = (P)0.5 * x[i] * (1 + (P)TANH(u));
    }
}

static void F(plain_gelu_bwd)(P *dx, const P *dy, const P *x, int n)
{
    for (int i = 0; i < n; i++) {
        P k = (P)0.7978845608028654, a = (P)0.044715;
        P t = (P)TANH(k * (x[i] + a * x[i] * x[i] * x[i]));
        P du = k * (1 + 3 * a * x[i] * x[i]);
        dx[i] = dy[i] * ((1 + t) / 2 + x[i] / 2 * (1 - t * t) * du);
    }
}

static void F(plain_crossentropy)(P *loss, P *lse, const P *x,
                                  const int32_t *targets, int N, int V)
{
    for (int n = 0; n < N; n++, x += V) {
        P most = x[0], sum = 0;
        for (int v = 0; v < V; v++)
            most = x[v] > most ? x[v] : most;
        for (int v = 0; v < V; v++)
            sum += (P)EXP(x[v] - most);
        lse[n] = most + (P)log(sum);
        loss[n] = (P)log(sum) + (most - x[targets[n]]);
    }
}

static void F(plain_crossentropy_bwd)(P *dx, const P *x, const P *lse,
                                      const int32_t *targets, P scale,
                                      int N, int V)
{
    for (int n = 0; n < N; n++)
        for (int v = 0; v < V; v++)
            dx[n * V + v] = scale * ((P)EXP(x[n * V + v] - lse[n])
                                     - (v == targets[n]));
}

static void F(plain_gemm)(P *c, const P *a, const P *b, const P *bias,
                          int M, int N, int K, int ta, int tb, int add)
{
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            P sum = 0;
            for (int k = 0; k < K; k++)
                sum += a[ta ? k * M + m : m * K + k]
                     * b[tb ? n * K + k : k * N + n];
            c[m * N + n] = (add ? c[m * N + n] : 0) + sum
                         + (bias ? bias[n] : 0);
        }
}

static void F(plain_adamw)(P *w, P *m, P *v, const P *g, int n,
                           const struct AdamwStep *s)
{
    P root = (P)sqrt(1 - pow(s->beta2, (double)s->step));
    P rate = (P)(s->lr / (1 - pow(s->beta1, (double)s->step)));
    for (int i = 0; i < n; i++) {
        P x = (P)s->scale * g[i];
        m[i] = (P)s->beta1 * m[i] + (P)(1 - s->beta1) * x;
        v[i] = (P)s->beta2 * v[i] + (P)(1 - s->beta2) * x * x;
        w[i] -= rate * m[i] / ((P)sqrt(v[i]) / root + (P)s->eps)
              + (P)(s->lr * s->decay) * w[i];
    }
}
