/* Tangled from chapters/workshop/programs.nw, "Being told to stop".  Edit it there. */

#include "base/stop.h"
#include "base/threads.h"

#include <signal.h>
#include <stdlib.h>

static volatile sig_atomic_t noted;

static void note(int number)
{
    if (noted) {
        signal(number, SIG_DFL);
        raise(number);
    }
    noted = number;
}

void stop_catch(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction a = { .sa_handler = note, .sa_flags = SA_RESTART };
    sigemptyset(&a.sa_mask);
    for (int i = 0; i < 3; i++) {
        struct sigaction old;
        sigaction(numbers[i], NULL, &old);
        if (old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &a, NULL);
    }
}

int stop_signal(void)
{
    return noted;
}

const char *stop_name(int number)
{
    return number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM"
         : number == SIGHUP ? "SIGHUP" : "a signal";
}

_Noreturn void stop_die(int number)
{
    sigset_t set;
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    exit(128 + number);
}
