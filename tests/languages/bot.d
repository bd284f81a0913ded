import std.conv, std.stdio, std.string;

void main() {
    readln();
    while (true) {
        foreach (i; 0 .. 10) if (readln() is null) return;
        auto count = readln().strip().to!int;
        auto first = readln();
        foreach (i; 1 .. count) readln();
        write(first);
        stdout.flush();
    }
}
