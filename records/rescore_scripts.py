"""The scripts of `records.rescores`. Each is one step: it is done whole, or not at all.

All but the last take the same keys: batch, chunks left, results, sums, ids, batches that are not over,
batches that are kept, and the feed with the ids of those that it tells of; and first of all the batch's name
and the seconds that it is kept once it is over.
"""

from __future__ import annotations

from typing import Final

_COMMON: Final = """
local job, left, results, sums, ids, open, kept, feed, told = unpack(KEYS)
local name, keep = ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function is_over(how)
  if redis.call('HEXISTS', job, 'finished') == 0 then
    local place = redis.call('RPUSH', told, string.match(name, ':(.*)')) - 1
    local number = ({done = 0, failed = 1, cancelled = 2})[how]
    redis.call('RPUSH', feed, struct.pack('>BI6I4I3I2', 68, now, place, 0, number))
  end
  redis.call('HSET', job, 'finished', now, 'ended', how)
  redis.call('DEL', left, ids)
  redis.call('ZREM', open, name)
  redis.call('ZADD', kept, now + keep * 1000, name)
  for _, key in ipairs({job, results, sums}) do redis.call('EXPIRE', key, keep) end
end
"""

START: Final = (
    _COMMON
    + """
-- ARGV: number of chunks, then fields and values of the batch
redis.call('HSET', job, 'accepted', now, unpack(ARGV, 4))
local count = tonumber(ARGV[3])
for chunk = 0, count - 1 do redis.call('ZADD', left, chunk, chunk) end
redis.call('PERSIST', ids)
if count > 0 then
  redis.call('ZADD', open, 0, name)
  redis.call('ZADD', kept, '+inf', name)
else
  is_over('done')
end
"""
)

CLAIM: Final = (
    _COMMON
    + """
-- ARGV: lease and longest lease in ms, how often a chunk is tried
-- Answers the number of the chunk, and what is known of the batch.
local found = redis.call('ZRANGEBYSCORE', left, '-inf', now, 'WITHSCORES', 'LIMIT', 0, 1)
if #found == 0 then
  found = redis.call('ZRANGEBYSCORE', left, '(' .. now + ARGV[4], '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
end
if #found == 0 then return false end
if found[1] ~= found[2] and redis.call('HINCRBY', job, 'tries:' .. found[1], 1) > tonumber(ARGV[5]) then
  is_over('failed')
  return false
end
redis.call('ZADD', left, now + ARGV[3], found[1])
redis.call('ZADD', open, time[1] * 1000000 + time[2], name)
redis.call('HSETNX', job, 'started', now)
return {tonumber(found[1]), unpack(redis.call('HMGET', job, 'size', 'select', 'variants', 'counts'))}
"""
)

FINISH: Final = (
    _COMMON
    + """
-- ARGV: chunk, results, sums, then names of counts and what to add
-- Answers 1, or 0 where the chunk was done by another or the batch is over.
if redis.call('ZREM', left, ARGV[3]) == 0 then return 0 end
redis.call('HSET', results, ARGV[3], ARGV[4])
redis.call('HSET', sums, ARGV[3], ARGV[5])
for at = 6, #ARGV, 2 do redis.call('HINCRBY', job, ARGV[at], ARGV[at + 1]) end
if redis.call('ZCARD', left) == 0 then is_over('done') end
return 1
"""
)

END: Final = (
    _COMMON
    + """
-- Answers whether there is such a batch.
if redis.call('EXISTS', job) == 0 then return 0 end
redis.call('DEL', results, sums)
if redis.call('HGET', job, 'ended') ~= 'cancelled' then
  is_over('cancelled')
  redis.call('HDEL', job, 'bytes')
end
return 1
"""
)

NOTE: Final = """
-- KEYS: batch    ARGV: field, value. Only of a batch that is there: it must not come back when it has gone.
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
"""
