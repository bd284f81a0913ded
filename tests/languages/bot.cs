using System;

class Player {
    static void Main(string[] args) {
        int me = int.Parse(Console.ReadLine());
        while (true) {
            for (int i = 0; i < 10; i++) if (Console.ReadLine() == null) return;
            int count = int.Parse(Console.ReadLine());
            string first = Console.ReadLine();
            for (int i = 1; i < count; i++) Console.ReadLine();
            Console.WriteLine(first);
        }
    }
}
