"""The keys of webhooks, and the scripts that change them. All that is a tenant's is in one shard:

{t07}:webhooks                              the tenants that have webhooks
{t07}:webhooks:default                      a tenant's webhooks: ids, by when they were made (ms)
{t07}:webhooks:default:<id>                 a webhook: what it is, whether it is enabled, its secrets, and
                                            the cursor of the feed up to which its deliveries were made
{t07}:webhooks:default:<id>:waiting         its deliveries that wait: ids, by the time of the next try (ms)
{t07}:webhooks:default:<id>:over            those that wait no longer, by when that was
{t07}:webhooks:default:<id>:log             both, in the order in which they were made
{t07}:webhooks:default:<id>:deliveries      the deliveries themselves

Each script is one step: it is done whole, or not at all. All but the first two take the same keys, those of
one webhook.
"""

from __future__ import annotations

from typing import Final
from zlib import crc32

from records.redis_keys import SHARDS, tag_of

MAKE: Final = """
-- KEYS: tenants, the tenant's webhooks, webhook
-- ARGV: tenant, most webhooks, id, time, then fields and values
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[3], unpack(ARGV, 5))
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
redis.call('ZADD', KEYS[1], 0, ARGV[1])
return 1
"""

DELETE: Final = """
-- KEYS: tenants, the tenant's webhooks, then those of the webhook    ARGV: tenant, id
if redis.call('ZREM', KEYS[2], ARGV[2]) == 0 then return 0 end
redis.call('DEL', unpack(KEYS, 3))
if redis.call('ZCARD', KEYS[2]) == 0 then redis.call('ZREM', KEYS[1], ARGV[1]) end
return 1
"""

_COMMON: Final = """
local hook, waiting, over, log, deliveries = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function disable(reason)
  redis.call('HSET', hook, 'enabled', '0', 'reason', reason, 'disabled', now)
  for _, id in ipairs(redis.call('ZRANGE', waiting, 0, -1)) do redis.call('ZADD', over, now, id) end
  redis.call('DEL', waiting)
end
local function keep(most, seconds)
  local extra = redis.call('ZCARD', over) - most
  if extra > 0 then
    for _, id in ipairs(redis.call('ZRANGE', over, 0, extra - 1)) do
      redis.call('ZREM', log, id)
      redis.call('HDEL', deliveries, id)
    end
    redis.call('ZREMRANGEBYRANK', over, 0, extra - 1)
  end
  for _, key in ipairs({waiting, over, log, deliveries}) do redis.call('EXPIRE', key, seconds) end
end
"""

CHANGE: Final = (
    _COMMON
    + """
-- ARGV: what it is expected to be, what it is to be; '1' to enable it, '0' to disable it or ''; a cursor
-- Answers 0 where it is something else by now, or gone. Enabled anew, it goes on at the cursor.
if redis.call('HGET', hook, 'about') ~= ARGV[1] then return 0 end
redis.call('HSET', hook, 'about', ARGV[2])
local enabled = redis.call('HGET', hook, 'enabled')
if ARGV[3] == '1' and enabled ~= '1' then
  redis.call('HSET', hook, 'enabled', '1', 'cursor', ARGV[4])
  redis.call('HDEL', hook, 'reason', 'disabled')
elseif ARGV[3] == '0' and enabled == '1' then
  disable('asked')
end
return 1
"""
)

ROTATE: Final = """
-- KEYS: webhook    ARGV: the secrets that are expected, those that are to be
if redis.call('HGET', KEYS[1], 'secrets') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'secrets', ARGV[2])
return 1
"""

RECORD: Final = (
    _COMMON
    + """
-- ARGV: most that are kept, seconds that they are kept, the cursor that is expected, the new one; then ids
-- and deliveries
-- Answers 0 where another was faster, or the webhook is disabled or gone. Without cursors it takes
-- deliveries also then, as long as the webhook is there.
if ARGV[3] ~= '' then
  local found = redis.call('HMGET', hook, 'enabled', 'cursor')
  if found[1] ~= '1' or found[2] ~= ARGV[3] then return 0 end
  redis.call('HSET', hook, 'cursor', ARGV[4])
elseif redis.call('EXISTS', hook) == 0 then
  return 0
end
for at = 5, #ARGV, 2 do
  redis.call('HSET', deliveries, ARGV[at], ARGV[at + 1])
  redis.call('ZADD', log, 0, ARGV[at])
  redis.call('ZADD', waiting, now, ARGV[at])
end
if #ARGV > 4 then keep(tonumber(ARGV[1]), ARGV[2]) end
return 1
"""
)

CLAIM: Final = (
    _COMMON
    + """
-- ARGV: how many, lease in ms, longest time in ms that a try is put off
-- What lies further ahead than that was put off before the clock was set back. Answers ids and deliveries.
local count = tonumber(ARGV[1])
local ids = redis.call('ZRANGEBYSCORE', waiting, '-inf', now, 'LIMIT', 0, count)
if #ids < count then
  local ahead = redis.call('ZRANGEBYSCORE', waiting, '(' .. now + ARGV[3], '+inf', 'LIMIT', 0, count - #ids)
  for _, id in ipairs(ahead) do ids[#ids + 1] = id end
end
local answers = {}
for _, id in ipairs(ids) do
  local found = redis.call('HGET', deliveries, id)
  if found then
    redis.call('ZADD', waiting, now + ARGV[2], id)
    answers[#answers + 1] = id
    answers[#answers + 1] = found
  else
    redis.call('ZREM', waiting, id)
  end
end
return answers
"""
)

FINISH: Final = (
    _COMMON
    + """
-- ARGV: most that are kept, seconds that they are kept, id, delivery, outcome, ms until the next try, when
-- its tries began
-- Outcomes: delivered, retry, failed, gone (never again), exhausted (the last try of a day has failed).
-- Answers why the webhook was disabled, if it was.
if redis.call('HEXISTS', deliveries, ARGV[3]) == 0 then return false end
redis.call('HSET', deliveries, ARGV[3], ARGV[4])
local outcome, disabled = ARGV[5], false
if outcome == 'delivered' then redis.call('HSET', hook, 'delivered', now) end
if redis.call('ZSCORE', waiting, ARGV[3]) then
  if outcome == 'retry' then
    redis.call('ZADD', waiting, now + ARGV[6], ARGV[3])
  else
    redis.call('ZREM', waiting, ARGV[3])
    redis.call('ZADD', over, now, ARGV[3])
  end
end
local found = redis.call('HMGET', hook, 'enabled', 'delivered')
if found[1] == '1' then
  if outcome == 'gone' then
    disabled = 'gone'
  elseif outcome == 'exhausted' and tonumber(found[2] or 0) < tonumber(ARGV[7]) then
    disabled = 'failing'
  end
  if disabled then disable(disabled) end
end
keep(tonumber(ARGV[1]), ARGV[2])
return disabled
"""
)

RESEND: Final = (
    _COMMON
    + """
-- ARGV: id, the delivery that is expected, that which is to be
-- Answers 0 where it is another by now, or gone.
if redis.call('HGET', deliveries, ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', deliveries, ARGV[1], ARGV[3])
redis.call('ZREM', over, ARGV[1])
redis.call('ZADD', waiting, now, ARGV[1])
return 1
"""
)


def tenants_key(shard: int) -> str:
    """The key of a shard's tenants that have webhooks."""
    return f"{tag_of(shard)}:webhooks"


def shard_of_tenant(tenant: str) -> int:
    """The shard that a tenant's webhooks are in."""
    return crc32(tenant.encode()) % SHARDS


def list_key(tenant: str) -> str:
    """The key of a tenant's webhooks."""
    return f"{tenants_key(shard_of_tenant(tenant))}:{tenant}"


def all_keys(tenant: str, webhook_id: str) -> list[str]:
    """The keys of a webhook, in the order that the scripts know."""
    key = f"{list_key(tenant)}:{webhook_id}"
    return [key, *(f"{key}:{part}" for part in ("waiting", "over", "log", "deliveries"))]
