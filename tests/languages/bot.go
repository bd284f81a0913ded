package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Scan()
	for {
		for i := 0; i < 10; i++ {
			if !scanner.Scan() {
				return
			}
		}
		var count int
		scanner.Scan()
		fmt.Sscan(scanner.Text(), &count)
		first := ""
		for i := 0; i < count; i++ {
			scanner.Scan()
			if i == 0 {
				first = scanner.Text()
			}
		}
		fmt.Println(first)
	}
}
