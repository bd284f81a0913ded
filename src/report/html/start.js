// A page that is a file: its games are in it, packed.

const { data: packed, first } = JSON.parse(document.getElementById("replay-data").textContent);
start((number) => unpack(packed[number]), (number) => Object.hasOwn(packed, number)).then((watching) => watching.begin(first));
