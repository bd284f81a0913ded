let () =
  ignore (read_line ());
  try
    while true do
      for _ = 1 to 10 do ignore (read_line ()) done;
      let count = int_of_string (read_line ()) in
      let first = read_line () in
      for _ = 2 to count do ignore (read_line ()) done;
      print_endline first
    done
  with End_of_file -> ()
