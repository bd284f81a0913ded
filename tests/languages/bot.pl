$| = 1;
<STDIN>;
while (1) {
    for (1 .. 10) { defined(<STDIN>) or exit 0 }
    my $count = <STDIN>;
    my @actions = map { scalar <STDIN> } 1 .. $count;
    print $actions[0];
}
