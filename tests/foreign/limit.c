/* limit SECONDS MEGABYTES FILE PROGRAM [ARGUMENT]...
 *
 * Runs a program within a limit of processor time and of memory.  A program
 * that sleeps for five times as long by the clock has had its time as well:
 * on a busy computer one that works gets on.  Writes one line into FILE: what
 * ended it ("status 0", "signal 11", "time", "memory"), the processor time
 * in seconds, the most memory that it had at once in MB.  The memory is what
 * was touched: address space that a program only reserves does not count.
 * Linux tells a running program's memory; elsewhere it is looked at once
 * the program has ended. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* MB that the process has now, or 0 where nobody tells. */
static double resident_mb(pid_t pid)
{
    char path[64];
    long pages = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    if (fscanf(f, "%*s %ld", &pages) != 1)
        pages = 0;
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* Processor time that the process has had, in ticks; 0: nobody tells. */
static unsigned long long ticks(pid_t pid)
{
    char path[64], text[1024];
    unsigned long long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    char *after = strrchr(text, ')');   /* the name may have blanks */
    if (!after || sscanf(after, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u "
                         "%*u %llu %llu", &user, &system) != 2)
        return 0;
    return user + system;
}

static double cpu_s(const struct rusage *u)
{
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
           (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1e-6;
}

static double most_mb(const struct rusage *u)
{
#ifdef __APPLE__
    return (double)u->ru_maxrss / 1e6;
#else
    return (double)u->ru_maxrss * 1024 / 1e6;
#endif
}

static void start(char **argv, long seconds)
{
    struct rlimit cpu = { (rlim_t)seconds, (rlim_t)seconds + 5 };
    setpgid(0, 0);
    setrlimit(RLIMIT_CPU, &cpu);
    execvp(argv[0], argv);
    fprintf(stderr, "limit: %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

int main(int argc, char **argv)
{
    if (argc < 5 || atol(argv[1]) < 1 || atol(argv[2]) < 1) {
        fputs("usage: limit SECONDS MEGABYTES FILE PROGRAM...\n", stderr);
        return 2;
    }
    long seconds = atol(argv[1]);
    double most = atof(argv[2]);
    time_t awake = time(NULL);          /* when it last got on */
    unsigned long long had = 0;
    const char *why = NULL;
    struct rusage used;
    int status;
    pid_t child = fork();
    if (child < 0) {
        perror("limit: fork");
        return 1;
    }
    if (child == 0)
        start(argv + 4, seconds);
    while (wait4(child, &status, WNOHANG, &used) == 0) {
        if (resident_mb(child) > most)
            why = "memory";
        else if (time(NULL) - awake > 5 * seconds)
            why = "time";
        unsigned long long has = ticks(child);
        if (has != had) {
            had = has;
            awake = time(NULL);
        }
        if (why)
            kill(-child, SIGKILL);
        nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
    }
    kill(-child, SIGKILL);              /* what it left running */
    if (most_mb(&used) > most)
        why = "memory";
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        why = "time";
    FILE *f = fopen(argv[3], "w");
    if (!f) {
        perror(argv[3]);
        return 1;
    }
    if (why)
        fprintf(f, "%s", why);
    else if (WIFSIGNALED(status))
        fprintf(f, "signal %d", WTERMSIG(status));
    else
        fprintf(f, "status %d", WEXITSTATUS(status));
    fprintf(f, " %.1f %.0f\n", cpu_s(&used), most_mb(&used));
    return fclose(f) != 0;
}
