-- Requests for wrk: METHOD, a file of paths taken in turn, and for a body: a file with "{n}" where a number
-- that never repeats goes, and the number to begin after. Prints what was measured as one line of JSON.

local method, paths, head, tail, number
local place = 0

local function content(name)
   local file = assert(io.open(name, "rb"))
   local text = file:read("*a")
   file:close()
   return text
end

function init(arguments)
   method, paths = arguments[1], {}
   for path in content(arguments[2]):gmatch("[^\n]+") do
      paths[#paths + 1] = path
   end
   if arguments[3] then
      local body = content(arguments[3])
      local from, to = body:find("{n}", 1, true)
      head, tail = body:sub(1, from - 1), body:sub(to + 1)
      number = tonumber(arguments[4])
   else
      for index, path in ipairs(paths) do
         paths[index] = wrk.format(method, path)
      end
   end
end

function request()
   place = place % #paths + 1
   if not head then
      return paths[place]
   end
   number = number + 1
   return wrk.format(method, paths[place], nil, head .. string.format("%016d", number) .. tail)
end

function done(summary, latency)
   local failed = summary.errors
   io.write(string.format(
      '\n{"requests": %d, "microseconds": %d, "refused": %d, "broken": %d, "p50": %d, "p99": %d}\n',
      summary.requests, summary.duration, failed.status,
      failed.connect + failed.read + failed.write + failed.timeout,
      latency:percentile(50), latency:percentile(99)))
end
