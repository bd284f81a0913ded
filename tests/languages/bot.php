<?php
fgets(STDIN);
while (true) {
    for ($i = 0; $i < 10; $i++) if (fgets(STDIN) === false) exit(0);
    fscanf(STDIN, "%d", $count);
    $first = trim(fgets(STDIN));
    for ($i = 1; $i < $count; $i++) fgets(STDIN);
    echo $first . "\n";
}
