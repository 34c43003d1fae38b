#include <stdio.h>

int main(void)
{
    char name[8];
    printf("Name? ");
    gets(name);
    printf("Hello %s\n", name);
    return 1;
}
