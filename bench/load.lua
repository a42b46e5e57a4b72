-- Requests for wrk: METHOD, a file of paths taken in turn, and for a body: a file with "{n}" where a number
-- that never repeats goes, and the number to begin after. Prints what was measured as one line of JSON.
--
-- With a precondition also the pattern that finds its tag in an answer, and the header that carries the tag or
-- "-" when it goes where the body has "{tag}". Each path then ends with an id, and has its first tag behind a
-- tab; the next ones are learned from the answers.

local method, paths, head, middle, tail, number
local ids, tags, pattern, tag_header, headers
local place = 0

local function content(name)
   local file = assert(io.open(name, "rb"))
   local text = file:read("*a")
   file:close()
   return text
end

local function cut(text, mark)
   local from, to = text:find(mark, 1, true)
   if not from then
      return text, nil
   end
   return text:sub(1, from - 1), text:sub(to + 1)
end

local function learn(_, _, body)
   local id, tag = body:match('"id": ?"([^"]+)"'), body:match(pattern)
   if tags[id] and tag then
      tags[id] = tag
   end
end

function init(arguments)
   method, paths, pattern = arguments[1], {}, arguments[5]
   ids, tags, headers = {}, {}, {}
   for line in content(arguments[2]):gmatch("[^\n]+") do
      local path, tag = cut(line, "\t")
      paths[#paths + 1] = path
      if tag then
         ids[#paths] = path:match("[^/]+$")
         tags[ids[#paths]] = tag
      end
   end
   if arguments[3] then
      head, middle = cut(content(arguments[3]), "{n}")
      middle, tail = cut(middle, "{tag}")
      number = tonumber(arguments[4])
   else
      for index, path in ipairs(paths) do
         paths[index] = wrk.format(method, path)
      end
   end
   for name, value in pairs(wrk.headers) do
      headers[name] = value
   end
   if pattern then
      response = learn
      tag_header = arguments[6] ~= "-" and arguments[6]
   end
end

function request()
   place = place % #paths + 1
   if not head then
      return paths[place]
   end
   number = number + 1
   local body = head .. string.format("%016d", number) .. middle
   if tail then
      body = body .. tags[ids[place]] .. tail
   elseif tag_header then
      headers[tag_header] = '"' .. tags[ids[place]] .. '"'
   end
   return wrk.format(method, paths[place], headers, body)
end

function done(summary, latency)
   local failed = summary.errors
   io.write(string.format(
      '\n{"requests": %d, "microseconds": %d, "refused": %d, "broken": %d, "p50": %d, "p99": %d}\n',
      summary.requests, summary.duration, failed.status,
      failed.connect + failed.read + failed.write + failed.timeout,
      latency:percentile(50), latency:percentile(99)))
end
