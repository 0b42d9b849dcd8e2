-- Calls, sorted and hashed tables, strings, patterns, closures and numbers; `argument` is the depth of the calls.
local depth = tonumber(argument)
local function fibonacci(n) return n < 2 and n or fibonacci(n - 1) + fibonacci(n - 2) end

local size = depth * 6000
local numbers = {}
for i = 1, size do numbers[i] = (i * 7919) % 100003 end
table.sort(numbers, function(a, b) return a > b end)
local sum = 0
for i, number in ipairs(numbers) do sum = sum + number * i % 7 end

local counts = {}
for i = 1, size do
  local key = "k" .. (i % 997)
  counts[key] = (counts[key] or 0) + i
end
local keys = {}
for key in pairs(counts) do keys[#keys + 1] = key end
table.sort(keys)

local parts = {}
for i = 1, size // 4 do parts[i] = string.format("%d:%s:%.3f", i, ("x"):rep(i % 7), i / 3) end
local text, digits = table.concat(parts, ","), 0
for word in text:gmatch("%d+") do digits = digits + #word end

local x = 0.5
for _ = 1, size do x = 3.7 * x * (1 - x) + math.sin(x) * 1e-3 end
print(fibonacci(depth), sum, #keys, counts[keys[1]], digits, #text:gsub("x+", "y"), string.format("%.17g", x))
