import std/strutils

discard stdin.readLine()
while true:
  for i in 1 .. 10:
    if stdin.endOfFile: quit()
    discard stdin.readLine()
  let count = parseInt(stdin.readLine())
  let first = stdin.readLine()
  for i in 2 .. count: discard stdin.readLine()
  echo first
  stdout.flushFile()
