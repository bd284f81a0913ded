read -r me
while read -r line; do
    for _ in 2 3 4 5 6 7 8 9 10; do read -r line; done
    read -r count
    read -r first
    for ((i = 1; i < count; i++)); do read -r line; done
    echo "$first"
done
