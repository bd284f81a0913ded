read player; read size
while read board; do
    for line in 2 3 4 5 hand hand last; do read line; done
    read count; best=
    while [ "$count" -gt 0 ]; do
        read move; count=$((count - 1))
        if [ -z "$best" ] || [ "$move" \< "$best" ]; then best=$move; fi
    done
    echo "$best"
done
