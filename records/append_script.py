"""The script by which `records.redis_log` appends. It is one step: all of it is done, or nothing."""

from __future__ import annotations

from typing import Final

# For any number of streams of one shard, tenant and kind; each is appended to or not by itself.
# KEYS: due, ids, short lists, feed; then of each stream: its key, and a long list for each that it joins
# ARGV: number of the kind; then of each stream: expected version, events, head, due ("", "1" or "2"),
# id, name among what is due, how many lists, their names, how many entries, of each the time ("":
# now) and the entry. The head begins with version, time of the first entry and place among the ids.
# A list is short for long: a Redis key costs 150 bytes, a field of a hash 30. It goes on in a key of
# its own so that an append never rewrites more than that.
# A mark of urgency 2 is set further ahead than any lease reaches: such marks are claimed last.
APPEND: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kind = tonumber(ARGV[1])
local answers, news, feed, marks = {}, {}, {}, {}
local joined, names, longs = {}, {}, {}
local count
local key, arg = 5, 2
while key <= #KEYS do
  local stream = KEYS[key]
  local expected, events, head, due = tonumber(ARGV[arg]), ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3]
  local id, name, lists = ARGV[arg + 4], ARGV[arg + 5], tonumber(ARGV[arg + 6])
  arg = arg + 7
  local entries = arg + lists + 1
  local past = entries + 2 * tonumber(ARGV[entries - 1])
  local stored = redis.call('LINDEX', stream, 0)
  local version, created, place = 0, nil, nil
  if stored then version, created, place = struct.unpack('>I4I6I4', stored) end
  if version ~= expected then
    answers[#answers + 1] = -version
  else
    version = version + events
    local parts = {}
    if stored then
      redis.call('LSET', stream, 0, struct.pack('>I4I6I4', version, created, place) .. head)
    else
      count = count or redis.call('LLEN', KEYS[2])
      place = count
      count = count + 1
      news[#news + 1] = id
      created = ARGV[entries] == '' and now or struct.unpack('>I6', ARGV[entries])
      parts = {struct.pack('>I4I6I4', version, created, place) .. head, ''}
    end
    for entry = entries, past - 1, 2 do
      parts[#parts + 1] = (ARGV[entry] == '' and struct.pack('>I6', now) or ARGV[entry]) .. ARGV[entry + 1]
    end
    redis.call('RPUSH', stream, unpack(parts))
    for list = 1, lists do
      local by = ARGV[arg + list - 1]
      if not joined[by] then
        joined[by], longs[by], names[#names + 1] = {}, KEYS[key + list], by
      end
      table.insert(joined[by], place)
    end
    feed[#feed + 1] = struct.pack('>BI6I4I3I2', kind, now, place, version, events)
    if due ~= '' then
      marks[#marks + 1] = due == '2' and now + 1e12 or now
      marks[#marks + 1] = name
    end
    answers[#answers + 1] = version
  end
  key, arg = key + 1 + lists, past
end
-- All at once, and no more of them than Lua can have on its stack.
local function add(command, key, values, first)
  for at = first or 1, #values, 1000 do
    redis.call(command, key, unpack(values, at, math.min(at + 999, #values)))
  end
end
for at = 1, #names, 1000 do
  local shorts = redis.call('HMGET', KEYS[3], unpack(names, at, math.min(at + 999, #names)))
  local fields = {}
  for number, short in ipairs(shorts) do
    local by = names[at + number - 1]
    local places, from = joined[by], 1
    short = short or ''
    while from <= #places and #short < 56 do
      short = short .. (short == '' and '' or ' ') .. places[from]
      from = from + 1
    end
    if from > 1 then
      fields[#fields + 1] = by
      fields[#fields + 1] = short
    end
    add('RPUSH', longs[by], places, from)
  end
  add('HSET', KEYS[3], fields)
end
add('RPUSH', KEYS[2], news)
add('RPUSH', KEYS[4], feed)
add('ZADD', KEYS[1], marks)
return answers
"""
