// A page that is a file: its games are in it, packed.

const { data: packed } = JSON.parse(document.getElementById("replay-data").textContent);
start((number) => unpack(packed[number]), (number) => Object.hasOwn(packed, number));
