STDOUT.sync = true
gets
loop do
  10.times { exit if gets.nil? }
  actions = Array.new(gets.to_i) { gets }
  puts actions[0]
end
