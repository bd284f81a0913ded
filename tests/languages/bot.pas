program Bot;
var
  line, first: string;
  i, count: integer;
begin
  readln(line);
  while not eof do
  begin
    for i := 1 to 10 do readln(line);
    readln(count);
    readln(first);
    for i := 2 to count do readln(line);
    writeln(first);
    flush(output);
  end;
end.
