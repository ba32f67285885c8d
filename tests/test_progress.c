/* The reader's progress through the course: what is written comes back, and
 * a file with one line that is not understood is refused whole. */
#include "course/progress.h"

#include "base/file.h"
#include "rows.h"
#include "scratch.h"

#include <unistd.h>

static const char *path(void)
{
    static char to[64];
    snprintf(to, sizeof to, "%s/progress.txt", dir);
    return to;
}

static void put(const char *text, size_t n)
{
    struct Error e;
    if (!write_file(path(), text, n, &e))
        fail_msg("%s", e.text);
}

static struct Progress progress;
static const char *first_line = "chapter/word 2 1\n";

/* The lines are refused, and the message holds all of `says`. */
static void refused(const char *lines, size_t n, const char *const says[3])
{
    struct Error e = { "" };
    put(lines, n);
    if (progress_read(&progress, path(), &e))
        fail_msg("%.60s was accepted", lines);
    assert_non_null(strstr(e.text, path()));
    for (int i = 0; i < 3 && says[i]; i++)
        if (!strstr(e.text, says[i]))
            fail_msg("'%s' does not say '%s'", e.text, says[i]);
}

/* The second line of two is refused. */
static void bad(const char *line, const char *value, const char *expected)
{
    char lines[400];
    int n = snprintf(lines, sizeof lines, "%s%s\n", first_line, line);
    refused(lines, (size_t)n,
            (const char *const[3]){ "line 2", value, expected });
}

static void comes_back(const struct Row *row)
{
    static const char last[] = "a/b 4 6";       /* without its line break */
    struct Error e;
    (void)row;
    put(last, strlen(last));
    assert_true(progress_read(&progress, path(), &e));
    progress_of(&progress, "c/d")->stars = 3;
    progress_of(&progress, "a/b")->hints = 5;
    assert_true(progress_write(&progress, path(), &e));
    progress.n = 77;
    assert_true(progress_read(&progress, path(), &e));
    assert_int_equal(progress.n, 2);
    assert_string_equal(progress.result[0].name, "a/b");
    assert_int_equal(progress.result[0].stars, 4);
    assert_int_equal(progress.result[0].hints, 5);
    assert_int_equal(progress_of(&progress, "c/d")->stars, 3);
    assert_int_equal(progress_of(&progress, "c/d")->hints, 0);
}

static void no_file(const struct Row *row)
{
    struct Error e;
    (void)row;
    unlink(path());
    progress.n = 5;
    assert_true(progress_read(&progress, path(), &e));
    assert_int_equal(progress.n, 0);
}

static void no_name(const struct Row *row)
{
    (void)row;
    bad("", "''", "name of an exercise");
    bad("word 1 1", "'word'", "name of an exercise");
}

static void no_hints(const struct Row *row)
{
    (void)row;
    bad("a/b", "''", "0 to 4");
    bad("a/b 3", "''", "0 to 6");
}

static void large_number(const struct Row *row)
{
    (void)row;
    bad("a/b 5 0", "'5'", "0 to 4");
    bad("a/b 4 7", "'7'", "0 to 6");
    bad("a/b -1 0", "'-1'", "0 to 4");
}

static void long_number(const struct Row *row)
{
    (void)row;
    bad("a/b 3x 0", "'3x'", "0 to 4");
    bad("a/b 3 1\r", "'1\\x0d'", "0 to 6");
}

static void fourth_word(const struct Row *row)
{
    (void)row;
    bad("a/b 3 1 1", "'1'", "end of the line");
    bad("a/b 3 1  1", "''", "end of the line");
}

static void twice(const struct Row *row)
{
    (void)row;
    bad("chapter/word 3 1", "'chapter/word'", "first time");
}

static void long_name(const struct Row *row)
{
    char line[200];
    (void)row;
    snprintf(line, sizeof line, "a/%080d 1 1", 0);
    bad(line, "'a/000", "name of an exercise");
}

static void zero_byte(const struct Row *row)
{
    (void)row;
    refused("a/b\0c 1 1\n", 10,
            (const char *const[3]){ "line 1", "'a/b'", "name of an" });
}

static void too_many(const struct Row *row)
{
    static char lines[MOST_RESULTS * 20 + 40];
    size_t n = 0;
    (void)row;
    for (int i = 0; i <= MOST_RESULTS; i++)
        n += (size_t)sprintf(lines + n, "a/%d 1 1\n", i);
    refused(lines, n, (const char *const[3]){ "line 401", "'a/400'" });
}

int main(void)
{
    static const struct Row rows[] = {
        { "progress comes back", comes_back, "stars and hints exchanged" },
        { "progress of no file", no_file, "what was there stays" },
        { "progress without a name", no_name, "an empty line is skipped" },
        { "progress without hints", no_hints, "what is missing is 0" },
        { "progress large numbers", large_number, "five stars" },
        { "progress long numbers", long_number, "the first digit only" },
        { "progress fourth word", fourth_word, "the rest is ignored" },
        { "progress named twice", twice, "the later line is lost" },
        { "progress long name", long_name, "the name is cut" },
        { "progress zero byte", zero_byte, "the name ends at the 0" },
        { "progress too many", too_many, "written behind the array" },
    };
    make_dir(NULL);
    int failed = rows_run("progress", rows, sizeof rows / sizeof *rows);
    remove_dir(NULL);
    return failed;
}
