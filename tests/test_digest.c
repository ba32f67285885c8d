/* SHA-256 against published values, and at every length at which a text is
 * filled up in another way. */
#include "course/digest.h"

#include "rows.h"

#include <stdlib.h>

static void is(const void *bytes, size_t n, const char *wanted)
{
    char got[DIGEST_TEXT];
    digest(got, bytes, n);
    assert_string_equal(got, wanted);
}

/* n times the letter a */
static void letters(size_t n, const char *wanted)
{
    char *text = malloc(n);
    assert_non_null(text);
    memset(text, 'a', n);
    is(text, n, wanted);
    free(text);
}

static void published(const struct Row *row)
{
    (void)row;
    is("abc", 3, "ba7816bf8f01cfea414140de5dae2223"
                 "b00361a396177a9cb410ff61f20015ad");
    is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void nothing(const struct Row *row)
{
    (void)row;
    is("", 0, "e3b0c44298fc1c149afbf4c8996fb924"
              "27ae41e4649b934ca495991b7852b855");
}

static void just_fits(const struct Row *row)
{
    (void)row;
    letters(55, "9f4390f8d30c2dd92ec9f095b65e2b9a"
                "e9b0a925a5258e241c9f1e910f734318");
    letters(119, "31eba51c313a5c08226adf18d4a359cf"
                 "dfd8d2e816b13f4af952f7ea6584dcfb");
}

static void length_in_next(const struct Row *row)
{
    (void)row;
    letters(56, "b35439a4ac6f0948b6d6f9e3c6af0f5f"
                "590ce20f1bde7090ef7970686ec6738a");
    letters(63, "7d3e74a05d7db15bce4ad9ec0658ea98"
                "e3f06eeecf16b4c6fff2da457ddc2f34");
}

static void whole_block(const struct Row *row)
{
    (void)row;
    letters(64, "ffe054fe7ae0cb6dc65c3af9b61d5209"
                "f439851db43d0ba5997337df154668eb");
}

static void a_million(const struct Row *row)
{
    (void)row;
    letters(1000000, "cdc76e5c9914fb9281a1c7e284d73e67"
                     "f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    static const struct Row rows[] = {
        { "digest published", published, "a wrong rotation" },
        { "digest nothing", nothing, "no block for an empty text" },
        { "digest just fits", just_fits, "a block too many" },
        { "digest length in the next block", length_in_next,
          "the length written over the text" },
        { "digest whole block", whole_block, "the last block mixed twice" },
        { "digest a million", a_million, "the length in one byte" },
    };
    return rows_run("digest", rows, sizeof rows / sizeof *rows);
}
