/* Numbers of a chapter that a test computes: the files of figures/data must
 * say the same; UPDATE_FACTS=DATE writes them.  Included after cmocka, with
 * FACTS = what every name begins with, PROGRAM = the test's own name, and
 * perhaps WHERE = the folder that it is in. */
#ifndef FACTS_H
#define FACTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef WHERE
#define WHERE "build/tests-opt/"
#endif

static struct Fact { char name[80]; double value; const char *unit; }
    facts[400];
static int n_facts;

static void fact(const char *name, double value, const char *unit)
{
    struct Fact *f = &facts[n_facts++];
    snprintf(f->name, sizeof f->name, FACTS ".%s", name);
    f->value = value;
    f->unit = unit;
}

static void write_facts(const char *path, const char *date,
                        const char *(*as_printed)(const struct Fact *))
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("name,value,unit,machine,command,commit,date\n", f);
    for (int i = 0; i < n_facts; i++)
        fprintf(f, "%s,%s,%s,none," WHERE PROGRAM ",,%s\n",
                facts[i].name, as_printed(&facts[i]), facts[i].unit, date);
    fclose(f);
}

/* Every fact is a row of the CSV file, as the book prints it. */
static void facts_are_in(const char *path,
                         const char *(*as_printed)(const struct Fact *))
{
    char line[300], name[60], value[60];
    if (getenv("UPDATE_FACTS"))
        write_facts(path, getenv("UPDATE_FACTS"), as_printed);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    int found = 0;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%59[^,],%59[^,]", name, value) != 2)
            continue;
        for (int i = 0; i < n_facts; i++)
            if (strcmp(name, facts[i].name) == 0) {
                if (strcmp(value, as_printed(&facts[i])) != 0)
                    fail_msg("%s: %s is %s, the program says %s; run "
                             "with UPDATE_FACTS=DATE", path, name, value,
                             as_printed(&facts[i]));
                found++;
            }
    }
    fclose(f);
    assert_int_equal(found, n_facts);
}

/* The file is these rows, but for its lines that begin with #. */
static inline void rows_are_in(const char *path, const char *rows)
{
    char line[300];
    FILE *f;
    if (getenv("UPDATE_FACTS")) {
        f = fopen(path, "w");
        assert_non_null(f);
        fprintf(f, "# machine: none\n# command: " WHERE PROGRAM
                "\n# commit: none\n# date: %s\n%s",
                getenv("UPDATE_FACTS"), rows);
        fclose(f);
    }
    f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#')
            continue;
        if (strncmp(rows, line, strlen(line)) != 0)
            fail_msg("%s: stale at %srun with UPDATE_FACTS=DATE", path,
                     line);
        rows += strlen(line);
    }
    fclose(f);
    assert_int_equal(*rows, 0);
}

#endif
