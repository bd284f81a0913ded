io.read()
while true do
    for _ = 1, 10 do
        if not io.read() then os.exit(0) end
    end
    local count = tonumber(io.read())
    local first = io.read()
    for _ = 2, count do io.read() end
    print(first)
    io.flush()
end
