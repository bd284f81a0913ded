const me: number = parseInt(readline());
while (true) {
    for (let i = 0; i < 10; i++) {
        if (readline() === null) process.exit(0);
    }
    const count: number = parseInt(readline());
    const actions: string[] = [];
    for (let i = 0; i < count; i++) actions.push(readline());
    console.log(actions[0]);
}
