#include <stdio.h>

int main(void) {
    int me, count;
    char line[256], first[256];
    if (scanf("%d ", &me) != 1) return 0;
    for (;;) {
        for (int i = 0; i < 10; i++) if (!fgets(line, sizeof line, stdin)) return 0;
        if (scanf("%d ", &count) != 1) return 0;
        for (int i = 0; i < count; i++) if (!fgets(i == 0 ? first : line, sizeof line, stdin)) return 0;
        fputs(first, stdout);
        fflush(stdout);
    }
}
