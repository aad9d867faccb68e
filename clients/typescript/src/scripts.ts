// The scripts of all commands: part of the program, so that a bundler takes them along.
// Made by generate.mjs from the bundle's manifest; do not edit.

/** The server's name of each script. */
export const DIGESTS = {
  adopt: "bef9a5ef7350b1e840bc628a3d836f82a8fcfa85",
  aggregate: "e771c4e7f40359cf86f0bfc45b71f7818f8b947e",
  answer_notice: "99be2efc181dafa62112bc4a21da18440644bfc2",
  append_log: "81ce033ee5bb08068e1ac1e23cea94f21a1d1097",
  attend: "6d57f96969be8c8ab1a5957b181ae49b41c2117c",
  audit: "3d4d18659ad618e82ab6664b17ad43a731169025",
  bulk: "2f8d945eb4f6e5b7bb6583a2f01df9aade97b32e",
  cancel: "e0b4df6fdb1d1cc758f29617d55ccadca1bb8d8b",
  cancel_graph: "3bffb7aa436a78bd59323d30120cc2ad50ef4177",
  changes: "e5202582498c4704d7793842d62006a1c640a598",
  checkpoint: "a41c6699af0e645d0bb65d673e2a58e1c201b984",
  complete: "b70426ab455506a138fe4d00bc401e45bb50fcd4",
  configure: "218318b3a84d781307e89e5f791b0c20e3b28da6",
  counts: "c6d5fb07921d59dc520c4d5aa053e3778287ec34",
  delete: "d7b891e1725f040087a3fcc0ac2690d8d0f1d342",
  delete_queue: "e2b99971afa3a75257ad5f7763a705a50c790a03",
  depend: "8765cb197742b9388fa71f60ca7c745611844f16",
  describe: "5e836ad27308f859e1095050a3261c7bf0108982",
  description: "e8f34a88fd412fce0d8888602a07f4c5991773fa",
  drain: "0d783170e234879aa3f6cc0ccc2d64bfadca7207",
  edit: "754b4a279fb2f4bb68f14a7c4886f6c68e035435",
  estimate: "d1b19654146730489c6166a6db739feb807099d4",
  events: "34e7c8924f089958f8676c5c1312109bc58630f0",
  fail: "a7eeeeb817857a8a4e4a4af95fb207cef78a3bd7",
  find: "c26bb93ff3b630a4831da3566d14c12b302000b0",
  finish_and_reserve: "79f03cacafd08050f14b8f4a04f6b641cc67b304",
  get: "fad708bb756d1984afd9e16347915d1d1fd3b6f8",
  get_many: "ddbc7ae282c3db4a7c54339882b47d25be83b166",
  graphs: "43e0de6ee1a233ae2711984a997ee73aa85f270d",
  groups: "e56a7e22f572dd9f7300b9aec4ae55a5c1e91f10",
  handshake: "a3e33724ad71c71fdd63806a2b9ae548b0eaa19f",
  heartbeat: "502133aa8a67eae51e28db6a1c1b8b7be58af134",
  history: "8f1bf541408d442b76a2e0e003f8feb051ff6e37",
  hold: "94dbfbe818fc5aee1b5cfa9f81c8572e05caf155",
  limit: "a89d19b1c8b4a7830820e65ce08fecd593b4b68b",
  limits: "0f4170749446927b3f4fbe8f70d94a9f04797c0e",
  list: "5834c5cc2025531e1742fb70458765f43e52c12e",
  list_held: "4db7caaee973a7b3b8be1e65bc316399c4fb0352",
  listeners: "e85ffa993efc1a97192400bd63b82cd22f020af5",
  logs: "e7159d7d6372b7d7d7d3ff2889f3fe53debc6b77",
  maintenance: "3e8e92c0877c2d6d091a5000338754529d8a08ae",
  move: "06bd91615c962b6f036f7879a99eef374b0f1707",
  note: "098ca3af12cc345a61d24a72825240a7dae80b12",
  notices: "d2fd00b82a4b9da373ca4f62884d20856063fb6c",
  pause: "eb3cb0af75b58e09a7e0d40dfc2a53b6eb3f9412",
  pause_schedule: "5a3a25486a5ae01c5b8696f534b5027f010ae64b",
  peek: "14954d3eac822107e6c73a0880b49f5328783e54",
  prioritise: "2dc8e87ac95ce1a4ce95d238fb8f142e2cb99cde",
  progress: "be5efacf641d8a65a9ddd2cdc559060dd2619a9b",
  promote: "01332416b8d0c0a292abf612f542c371a73324d3",
  prune: "19df68461ae25896d35722f6221382c64874e9dd",
  queues: "d631e284037f1990ee16dc003fa44ebbcf2ebb78",
  ready: "5939e78f4ae9d3f2b5799e8aad322c24e6ec9b71",
  redeliver: "7605f478ac527a87174011c5a2d0e9151ae1a83b",
  register: "335d9db45de7a300840ccbf3fba3acedcacc832e",
  release: "0c55e5350cd95718bd2e9766d535070cc1a3b793",
  repair: "0ff49597341bd339ba0e8480003c9258e22c0419",
  report: "f33d635e0c14d66885e6c49f91d057d466fcc5f7",
  requeue: "f5ecaa6628940b566055c68648d2265b173f3245",
  requeue_orphans: "4335c1056d3077664ae355dd28b0889211eac374",
  reserve: "40c8e98f2e2b5a444ac8391d28745ad4a1a869c0",
  reset_clock: "6d2b052e27d3b05752ba4d03f1d497e15caf1bb3",
  resume: "385167d7401b40bdba7f32128dd92ac0babc203b",
  resume_schedule: "5049cbb225e42bf3705b40a8ede846b053243855",
  retry: "82e257e9215e894d0ff182bcf40a7aa8e2d11037",
  retry_graph: "a383edc96bb254cb2d53ddbb308e735d43794a1a",
  run_deferred: "ecfb70e968c0a57ba0d08e804c7b929fc862822e",
  run_schedule: "2df7713b936703df7e95ec71081ae55497b55f1b",
  schedule: "279e1e8178e10a69969cb9057e2b030601b5b0e0",
  schedules: "f793cccd147ef5cdf0aad4690c99058fce178a3f",
  set_topology: "5e00fb15a683aea05f1b4b48077a18c055c51bcd",
  settings: "db99e722d3475e03a95e097f0abac3c64d2c4355",
  show_graph: "fa95dc357e8a28287086213288d8f314251dd59d",
  show_schedule: "05b475d06d4e1905f68f6e4fb1eb716238263dfe",
  signal: "89a2c6e7d5ae118ae2453a73943db55820bd3fe4",
  start: "7087194dd52d17f48b22f81277daa476d80a48cb",
  statistics: "6d58079acfeb4d0c9e8376adf125d254596b35fa",
  submit: "c6eed240f3e8be28170f3be77b5d566832520479",
  submit_graph: "62f8cfb0ac549c5bc620931d9c793e607566926f",
  supply_times: "b5a66a4c085284a2714212151f57d7c18b9c1d53",
  suspend: "82e8b4ff1854c179820055215f8c32589f1d814d",
  tag: "a5c4d86684e3adb1f53f945e59488a241f46da4d",
  tags: "fb7b95172052e5789aa69b548466b1d65c5d6893",
  take_notices: "16c53bc7e5fb1e8dafece8656130a981c66dc422",
  targets: "61b723312c5b3e0b0373b4f3c0cfe3717f60375d",
  tick: "2ab89d0facec0c2390b3e11deacdbeffcbb1a2c9",
  topology: "117cd9c3c60e422c1370ea2742b098d8cdfc431c",
  track: "fa0ca74ec7095fdae0c063830b754945a2a1b29f",
  tracked: "1ea6634f3af1b02c4f144578e10b5000fbc71707",
  undelivered: "763804527e675ca967d3b75c4b3781dba4c514c0",
  undepend: "a8e2d22883d0c45b7f89663415c5d63dd9c65354",
  unhold: "a82cde83170df07f59fc6a22bac7e95eb2846514",
  unregister: "faf138a512b332957c4d480f0f9c652409c7af00",
  unschedule: "bfa540b96ec5f4fc7233ed5f8c1af93716d7ce15",
  unsuspend: "51d537fcec3ee379a858a47c65a9ea852b175bb8",
  untag: "7d8a253d256cab7c8d710e69705619cdd2b37999",
  untrack: "3a0622c1dfd03131d48f66eebf1ea4b3ab89a0ba",
  why: "2c11188eec44da17f2cd0f8ee7ceb5f2f31c8bc7",
  workers: "a7c3669b3452a241c23137d2f0c121f8249c1221",
} as const;

/** A command of the bundle. */
export type Command = keyof typeof DIGESTS;

const TICK = "`";

/** The text that `composer.ts` reads. */
export const TEXT = String.raw`=== actions.find
function @{actions.find}(id)
  return @{record.find}(id, 'outcome', 'created', 'eta', 'front', 'retry_eta', 'schedule')
end

=== actions.get
function @{actions.get}(id)
  return @{record.get}(id, 'outcome', 'created', 'eta', 'front', 'retry_eta', 'schedule')
end

=== actions.refuse
function @{actions.refuse}(task, allowed)
  return 'STATE', 'the task is ' .. task.status .. '; this is for one that is ' .. allowed
end

=== actions.plan
function @{actions.plan}(task, to, spec)
  task.to = to
  task.later = spec.planned ~= nil
  local kind = task.status .. ' ' .. to
  if not @{record.held}(task) then
    @{actions.seek}(task, spec)
    local plain = spec.planned and not task.flags and not task.foreign
    if plain and spec.planned[kind] then
      return @{state.plan_own}(task, to)
    elseif plain then
      spec.planned[kind] = true
    end
  end
  @{state.plan}(task, to)
end

=== actions.entered
function @{actions.entered}(status, updated, front)
  return not (status == 'pending' and front) and tonumber(updated) or 0
end

=== actions.seek
function @{actions.seek}(task, spec)
  spec.lists, spec.entries = spec.lists or {}, spec.entries or 0
  if task.flags then
    @{holdings.load}(task)
    spec.entries = spec.entries + 400 + 100 * #@{tags.names}(task.tags)
  end
  if task.status == 'scheduled' or task.status == 'waiting' or task.rank then
    return
  end
  local list = @{namespace.key}(task.status .. '_tasks', task.queue)
  local known = spec.lists[list] or { length = redis.call('LLEN', list) }
  spec.lists[list] = known
  if known.length <= 100 then
    spec.entries = spec.entries + known.length
    return
  end
  for direction = -1, 1, 2 do
    local at = redis.call('LPOS', list, task.id, 'RANK', direction, 'MAXLEN', 500)
    if at then
      task.from_end = direction
      spec.entries = spec.entries + (direction == 1 and at or known.length - at)
      return
    end
  end
  if not known.middle then
    local middle = redis.call('LINDEX', list, math.floor(known.length / 2))
    known.middle = @{actions.entered}(
      unpack(redis.call('HMGET', @{namespace.key}('task', middle), 'status', 'updated', 'front')))
  end
  local own = @{actions.entered}(task.status, task.since, task.extra[4])
  task.from_end = own <= known.middle and -1 or 1
  spec.entries = spec.entries + known.length / 2
end

=== actions.unique
function @{actions.unique}(task, spec)
  if not task.flags then
    return true
  end
  @{holdings.load}(task)
  if not task.unique then
    return true
  end
  spec.taken_names = spec.taken_names or {}
  if @{holdings.name_conflict}(task) or spec.taken_names[task.unique] then
    return false
  end
  spec.taken_names[task.unique] = true
  return true
end

=== actions.run
function @{actions.run}(act, tasks, spec)
  @{namespace.begin}()
  for _, task in ipairs(tasks) do
    act(task, spec)
  end
  if spec.wakes then
    do
      local queue = spec.wakes
      local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
      local value_2_1
      do
        local queue, idle, sets = queue, idle[queue], idle['*']
        if idle then
          redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
        end
        if sets then
          do
            local queue = queue
            local ready = @{namespace.prefix} .. 'ready'
            if not @{namespace.declared} or @{namespace.is_here}(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if sets ~= '' then
            sets = @{wakeups.wake_sets}(sets, queue)
          end
        end
        redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
        value_2_1 = sets
      end
      local sets = value_2_1
      idle[queue], idle['*'] = nil, sets
    end
  end
end

=== actions.one
function @{actions.one}(id, plan, act, spec)
  local task = @{actions.get}(id)
  local code, text = plan(task, spec)
  if code then
    @{reply.fail}(code, text)
  end
  if task.to then
    @{audit.plan}()
    local before, after = task.status, task.to
    if after == 'prioritised' then
      before, after = task.priority or '0', spec.priority
    elseif after == 'moved' then
      before, after = task.queue, spec.queue
    end
    @{actions.run}(act, { task }, spec)
    @{audit.add}(spec.by, spec.what, 'task', id, before, after, spec.reason)
  end
  return task
end

=== aggregation.before
function @{aggregation.before}(one, other)
  local ms, number = string.match(one, '^(%d+)%-(%d+)$')
  local other_ms, other_number = string.match(other, '^(%d+)%-(%d+)$')
  ms, other_ms = tonumber(ms), tonumber(other_ms)
  return ms < other_ms or (ms == other_ms and tonumber(number) < tonumber(other_number))
end

=== aggregation.stream
function @{aggregation.stream}(events)
  local added, newest = 0, '0-0'
  local info = redis.call('XINFO', 'STREAM', events)
  for i = 1, #info, 2 do
    if info[i] == 'entries-added' then
      added = info[i + 1]
    elseif info[i] == 'last-generated-id' then
      newest = info[i + 1]
    end
  end
  return added, newest
end

=== aggregation.read
function @{aggregation.read}(events, last, read, limit, kept_days)
  local length = @{namespace.probe}('XLEN', events)
  local added, newest = 0, '0-0'
  if length > 0 then
    added, newest = @{aggregation.stream}(events)
    if added < read or @{aggregation.before}(newest, last) then
      last, read = '0-0', 0
    end
  end
  local missed = math.max(0, added - length - read)
  read = math.max(read, added - length)
  local found = {}
  if length > 0 and kept_days > 0 then
    found = redis.call('XRANGE', events, '(' .. last, '+', 'COUNT', limit)
    read = read + #found
    if #found > 0 then
      last = found[#found][1]
    end
    if #found < limit then
      missed, read = missed + math.max(0, added - read), added
    end
  elseif length > 0 then
    missed, last, read = 0, newest, added
  end
  return { found = found, last = last, read = read, missed = missed, added = added, length = length }
end

=== aggregation.sum
function @{aggregation.sum}(found)
  local days_sums, days_hosts, bounds, codes = {}, {}, @{statistics.bounds}(), @{event_entries.codes}()
  local sums, low, high, today_of = nil, '', '', nil
  for i = 1, #found do
    local code, _, _, since, by, node = @{event_entries.parts}(found[i][2])
    if code then
      local own, day, at = sums, today_of, @{event_entries.time}(found[i])
      if not (#at == 17 and at >= low and at < high) then
        local time = tonumber(at)
        own = nil
        if time and time >= 0 and time <= 100000000000 then
          day = math.floor(time / 86400)
          own = days_sums[day] or @{event_sums.sums}()
          days_sums[day] = own
          sums, today_of, low, high = own, day, @{calendar.span}(day)
        end
      end
      local states = codes[code]
      if not states then
        states = { string.match(code, '^(%l*)>(%l+)>(.*)$') }
        codes[code] = states
      end
      local from, to = states[1], states[2]
      if own and to then
        @{event_sums.event}(own, from, to, by, states[3], at, since, bounds)
        if (from == 'started' or from == 'reserved') and to ~= 'started' then
          @{event_sums.end_of}(days_hosts, day, node ~= '' and node or by, states, by, at, since, bounds)
        end
      end
    end
  end
  return days_sums, days_hosts
end

=== aggregation.merge
function @{aggregation.merge}(queue, days_sums, days_hosts, oldest)
  local writes = {}
  for one, own in pairs(days_sums) do
    local date = @{calendar.date}(one)
    local fields = one >= oldest and @{event_sums.merge}(@{namespace.declare}(@{statistics.key}(queue, date)), own) or {}
    if #fields > 0 then
      local hosts = days_hosts[one]
      hosts = hosts and @{event_sums.merge_hosts}(@{namespace.declare}(@{statistics.hosts_key}(queue, date)), hosts) or {}
      writes[#writes + 1] = { day = one, date = date, fields = fields, hosts = hosts }
    end
  end
  table.sort(writes, function(a, b) return a.day < b.day end)
  return writes
end

=== aggregation.write
function @{aggregation.write}(queue, writes, gone, new, most)
  local days = @{namespace.key}('days', queue)
  @{namespace.begin}()
  redis.call('XTRIM', @{namespace.key}('events', queue), 'MAXLEN', '~', most)
  for _, date in ipairs(gone) do
    redis.call('UNLINK', @{statistics.key}(queue, date), @{statistics.hosts_key}(queue, date))
  end
  if #gone > 0 then
    redis.call('ZREM', days, unpack(gone))
  end
  if new.length > 0 then
    redis.call('HSET', @{namespace.key}('aggregate', queue), 'last', new.last, 'read', string.format('%.0f', new.read))
  end
  for _, write in ipairs(writes) do
    redis.call('HSET', @{statistics.key}(queue, write.date), unpack(write.fields))
    redis.call('ZADD', days, write.day, write.date)
    for _, fields in ipairs(write.hosts) do
      redis.call('HSET', @{statistics.hosts_key}(queue, write.date), unpack(fields))
    end
  end
end

=== aggregation.aggregate
function @{aggregation.aggregate}(queue, limit)
  local texts = redis.call('HMGET', @{namespace.meta}, 'settings:' .. queue, 'settings')
  local kept_days = tonumber(@{settings.value}(texts[1], texts[2], 'statistics'))
  local kept_events = tonumber(@{settings.value}(texts[1], texts[2], 'events'))
  local place = redis.call('HMGET', @{namespace.declare}(@{namespace.key}('aggregate', queue)), 'last', 'read')
  local today = math.floor(@{namespace.now_us} / 86400000000)
  local oldest = today - kept_days + 1
  local gone = redis.call('ZRANGEBYSCORE', @{namespace.declare}(@{namespace.key}('days', queue)), '-inf', oldest - 1,
    'LIMIT', 0, 100)
  local new = @{aggregation.read}(@{namespace.key}('events', queue), place[1] or '0-0', tonumber(place[2] or 0), limit,
    kept_days)
  local days_sums, days_hosts = @{aggregation.sum}(new.found)
  local missed = new.missed
  if missed > 0 then
    days_sums[today] = days_sums[today] or @{event_sums.sums}()
    days_sums[today].missed = missed
  end
  local writes = @{aggregation.merge}(queue, days_sums, days_hosts, oldest)
  for _, date in ipairs(gone) do
    @{namespace.declare}(@{statistics.key}(queue, date))
    @{namespace.declare}(@{statistics.hosts_key}(queue, date))
  end

  local most = math.max(kept_events, new.added - new.read)
  if new.last == place[1] and #writes == 0 and #gone == 0 and new.length <= most then
    return { 0, 0, 0 }
  end
  @{aggregation.write}(queue, writes, gone, new, most)
  return { #new.found, new.read < new.added and 1 or 0, missed }
end

=== args.at
@{args.at} = 1

=== args.next
function @{args.next}(what)
  @{args.at} = @{args.at} + 1
  return ARGV[@{args.at}] or @{reply.fail}('BADARG', 'missing argument: ' .. what)
end

=== args.plain
function @{args.plain}(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    @{reply.fail}('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end

=== args.different_queues
function @{args.different_queues}(count)
  local queues, named = {}, {}
  for i = 1, count do
    local queue = @{args.plain}(@{args.next}('queue'), 'queue')
    if named[queue] then
      @{reply.fail}('BADARG', 'a queue is named twice in one call')
    end
    queues[i], named[queue] = queue, true
  end
  return queues
end

=== args.queues_or_none
function @{args.queues_or_none}(value, what)
  local names = {}
  for name in string.gmatch(value ~= '' and value .. ',' or '', '([^,]*),') do
    names[#names + 1] = @{args.plain}(name, what)
  end
  if #names > 32 then
    @{reply.fail}('BADARG', string.format('%s must be at most %d names', what, 32))
  end
  return names
end

=== args.listener
function @{args.listener}(value)
  if #value > 200 or not string.find(value, '^[%w.:-]+_%d+$') then
    @{reply.fail}('BADNAME', 'a listener must be HOSTNAME_PID: letters, digits, . : - then _ and digits')
  end
  return value
end

=== args.host
function @{args.host}(value, what)
  if #value > 190 or not string.find(value, '^[%w.:-]+$') then
    @{reply.fail}('BADNAME', what .. ' must be the host of a listener: letters, digits, . : -')
  end
  return value
end

=== args.word
function @{args.word}(value, words, what)
  if not @{args.among}(value, words) then
    @{reply.fail}('BADARG', what .. ' must be ' .. @{args.listed}(words, 'or'))
  end
  return value
end

=== args.listed
function @{args.listed}(words, last)
  local list = string.gsub(string.sub(words, 2, -2), ' ', ', ')
  return (string.gsub(list, ', (%S+)$', ' ' .. last .. ' %1'))
end

=== args.among
function @{args.among}(value, words)
  return string.find(value, '^[%w_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end

=== args.flag
function @{args.flag}(value, what)
  if value ~= '0' and value ~= '1' then
    @{reply.fail}('BADARG', what .. ' must be 0 or 1')
  end
  return value == '1'
end

=== args.integer
function @{args.integer}(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    @{reply.fail}('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end

=== args.seconds
function @{args.seconds}(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    @{reply.fail}('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end

=== args.cursor
function @{args.cursor}(value)
  if #value > 16 or value ~= '0' and not string.find(value, '^[1-9]%d*$') then
    @{reply.fail}('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return value
end

=== args.entry
function @{args.entry}(value)
  local ms, number = string.match(value, '^(%d+)%-(%d+)$')
  if value ~= '0' and (not ms or #ms > 19 or #number > 19) then
    @{reply.fail}('BADARG', 'the entry must be 0 or what the previous call returned')
  end
  return value
end

=== args.time_or_none
function @{args.time_or_none}(value, what)
  return value ~= '' and @{args.seconds}(value, 0, 100000000000, what) or nil
end

=== args.delay_or_none
function @{args.delay_or_none}(value, what)
  return value ~= '' and @{args.seconds}(value, 0, 31536000, what) or nil
end

=== args.queue_or_all
function @{args.queue_or_all}(value, what)
  return value == '*' and value or @{args.plain}(value, what)
end

=== args.missing
function @{args.missing}(names)
  local i = 1
  for name in string.gmatch(names, '%S+') do
    i = i + 1
    if not ARGV[i] then
      @{reply.fail}('BADARG', 'missing argument: ' .. name)
    end
  end
end

=== args.bytes
function @{args.bytes}(value, most, what)
  if #value > most then
    @{reply.fail}('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end

=== args.cause
function @{args.cause}(value, what)
  if value == 'fail' then
    @{reply.fail}('BADARG', what .. ' must be another word than fail: that call is for failures')
  end
  return @{args.plain}(value, what)
end

=== args.named
function @{args.named}(text, name)
  return #name <= 64 and string.find(name, '^[%a_][%w_]*$') and text .. ' (' .. name .. ')' or text
end

=== args.options
function @{args.options}(last)
  local found = {}
  for i = (last or @{args.at}) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      @{reply.fail}('BADARG', @{args.named}('an option has no value', name) .. ': options come in pairs')
    elseif found[name] ~= nil then
      @{reply.fail}('BADARG', 'the option ' .. name .. ' is given twice')
    end
    found[name] = @{contract.option}(name, value)
    if found[name] == nil then
      @{reply.fail}('BADARG', @{args.named}('unknown option or extra argument', name)
        .. ': the contract lists the options of this command')
    end
  end
  return found
end

=== args.none
function @{args.none}()
  if #ARGV > @{args.at} then
    @{reply.fail}('BADARG', 'too many arguments: this command takes no options')
  end
end

=== args.before
function @{args.before}(one, other)
  for i = 1, math.min(#one, #other) do
    local a, b = string.byte(one, i), string.byte(other, i)
    if a ~= b then
      return a < b
    end
  end
  return #one < #other
end

=== args.priority
function @{args.priority}(value, what)
  if #value > 5 or not string.find(value, '^%-?%d+$') or math.abs(tonumber(value)) > 1000 then
    @{reply.fail}('BADARG', what .. ' must be a whole number from ' .. (-1000) .. ' to '
      .. 1000)
  end
  return string.format('%d', tonumber(value))
end

=== args.needs
function @{args.needs}(value, what)
  local wanted = {}
  for need in string.gmatch(#value <= 256 and value .. ',' or '', '([^,]*),') do
    local name, operator, number = string.match(need, '^([%w_.-]+)([<>=]*)(.*)$')
    local fits = name and #name <= 64 and (operator == '' and number == ''
      or string.find(' >= <= > < = ', ' ' .. operator .. ' ') and #number <= 16 and string.find(number, '^%d+%.?%d*$'))
    if not fits then
      @{reply.fail}('BADARG', what .. ' must be names, each with an operator (>= <= > < =) and a number or without,'
        .. ' separated by commas')
    end
    wanted[#wanted + 1] = need
  end
  if #wanted > 8 or #value > 256 then
    @{reply.fail}('BADARG', what .. ' may be ' .. 8 .. ' at most, in ' .. 256
      .. ' characters')
  end
  table.sort(wanted, @{args.before})
  return table.concat(wanted, ',')
end

=== args.trace
function @{args.trace}(value, what)
  local trace, span, flags, rest = string.match(value, '^00%-([%da-f]+)%-([%da-f]+)%-([%da-f]+)(.*)$')
  if #value > 568 or not trace or #trace ~= 32 or #span ~= 16 or #flags ~= 2
    or not (string.find(trace, '[^0]') and string.find(span, '[^0]'))
    or rest ~= '' and not string.find(rest, '^ [!-~][ -~]*$') then
    @{reply.fail}('BADARG', what .. ' must be a traceparent, such as'
      .. ' 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01, and optionally a space and a tracestate, in at most'
      .. ' ' .. 568 .. ' characters')
  end
  return value
end

=== args.is_text
function @{args.is_text}(value)
  return type(value) == 'string' and not string.find(value, '%z')
end

=== args.command
function @{args.command}(value, what)
  @{args.bytes}(value, 65536, what)
  local read, command = pcall(cjson.decode, value)
  local wrong = (not read or type(command) ~= 'table') and 'be a JSON object'
  for name in pairs(wrong and {} or command) do
    if not @{args.among}(tostring(name), ' argv cwd env script user proof ') then
      wrong = 'have no other field than argv, cwd, env, script, user and proof'
    end
  end
  wrong = wrong or @{args.wrong_command}(command)
  if wrong then
    @{reply.fail}('BADARG', what .. ' must ' .. wrong)
  end
  return value
end

=== args.argv
function @{args.argv}(command)
  local read, decoded = pcall(cjson.decode, command or '')
  return read and cjson.encode(type(decoded) == 'table' and decoded.argv) or nil
end

=== args.wrong_command
function @{args.wrong_command}(command)
  local argv, env, is_text = command.argv, command.env or {}, @{args.is_text}
  local number, most = type(argv) == 'table' and #argv or 0, 1024
  if number < 1 or number > most or argv[1] == '' then
    return string.format('have argv: a list of 1 to %d texts, the program and its arguments', most)
  end
  for i = 1, number do
    if not is_text(argv[i]) then
      return 'have only texts without zero bytes in argv'
    end
  end
  for name, text in pairs(type(env) == 'table' and env or { '' }) do
    if not is_text(text) or not string.find(name, '^[%a_][%w_]*$') or string.find(name, '^BLUEQUE_') then
      return 'have in env an object of texts, by names of letters, digits and _ that do not begin with BLUEQUE_'
    end
  end
  if command.cwd and not (is_text(command.cwd) and string.find(command.cwd, '^/')) then
    return 'have an absolute path in cwd'
  elseif command.script and not (is_text(command.script) and string.find(command.script, '^#!')) then
    return 'have a script that begins with #! and the path of its interpreter'
  elseif not (is_text(command.user or '') and is_text(command.proof or '')) then
    return 'have texts in user and proof'
  end
end

=== args.unique_until
function @{args.unique_until}(value, what)
  if value ~= 'start' and value ~= 'end' then
    @{args.seconds}(value, 1, 31536000, what)
  end
  return value
end

=== args.tags
function @{args.tags}(value, what)
  local names, seen, number = {}, {}, 0
  for tag in string.gmatch(value .. ',', '([^,]*),') do
    @{args.plain}(tag, what)
    number = number + 1
    if number > 16 then
      @{reply.fail}('TOOMANY', 'a task has ' .. 16 .. ' tags at most')
    elseif not seen[tag] then
      names[#names + 1], seen[tag] = tag, true
    end
  end
  table.sort(names, @{args.before})
  return table.concat(names, ',')
end

=== args.has
function @{args.has}(value, what)
  local number = 0
  for one in string.gmatch((value == '' or #value > 1024) and '' or value .. ',', '([^,]*),') do
    local name, amount = string.match(one, '^([%w_.-]+)(.*)$')
    number = number + 1
    if not name or #name > 64 or #amount > 17
      or amount ~= '' and not string.find(amount, '^=%d+%.?%d*$') then
      @{reply.fail}('BADARG', what .. ' must be names, each with = and a number or without, separated by commas')
    end
  end
  if number > 32 or #value > 1024 then
    @{reply.fail}('BADARG', what .. ' may be ' .. 32 .. ' at most, in '
      .. 1024 .. ' characters')
  end
  return value
end

=== args.methods
function @{args.methods}(value, what)
  if #value > 8192 or not string.find(value, '^[%w._:@%-,*]*$') then
    @{reply.fail}('BADARG', what .. ' must be names separated by commas, at most '
      .. 8192 .. ' bytes, or *')
  end
  return value
end

=== args.fraction
function @{args.fraction}(value, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$') or tonumber(value) > 1 then
    @{reply.fail}('BADARG', what .. ' must be a decimal number from 0 to 1')
  end
  return tonumber(value)
end

=== args.weights
function @{args.weights}(value, what)
  local weights = {}
  for weight in string.gmatch(#value <= 200 and value .. ',' or '', '([^,]*),') do
    weights[#weights + 1] = @{args.integer}(weight, 1, 1000, what)
  end
  return weights
end

=== args.names
function @{args.names}(value, what)
  local names = {}
  for name in string.gmatch(value .. ',', '([^,]*),') do
    names[#names + 1] = @{args.plain}(name, what)
    if #names > 100 then
      @{reply.fail}('BADNAME', what .. ' may be ' .. 100 .. ' names at most')
    end
  end
  return names
end

=== args.name_or_none
function @{args.name_or_none}(value, what)
  return value == '' and value or @{args.plain}(value, what)
end

=== at_least.wanted
function @{at_least.wanted}(text)
  return tonumber(string.match(text or '', 'least/(%d+)') or 1)
end

=== at_least.without
function @{at_least.without}(text)
  return (string.gsub(string.gsub(text, ' ?least/%d+', ''), '^ ', ''))
end

=== at_least.named
function @{at_least.named}(text)
  local named = {}
  for id in string.gmatch(text or '', 'some/?%d*=(%S+)') do
    named[id] = true
  end
  return named
end

=== at_least.has
function @{at_least.has}(task)
  return task.flags and string.find(task.flags, 'k', 1, true)
end

=== at_least.flag
function @{at_least.flag}(task)
  if not @{at_least.has}(task) then
    task.flags = (task.flags or '') .. 'k'
  end
end

=== at_least.new
function @{at_least.new}(least)
  return { least = least, left = 0, missed = 0, turn = 1, owed = 0 }
end

=== at_least.fields
function @{at_least.fields}()
  return 'least', 'some', 'missed', 'turn', 'owed'
end

=== at_least.read
function @{at_least.read}(id)
  local v = redis.call('HMGET', @{namespace.declare}(@{edges.inputs}(id)), @{at_least.fields}())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end

=== at_least.write
function @{at_least.write}(id, set)
  redis.call('HSET', @{edges.inputs}(id), 'least', set.least, 'some', set.left, 'missed', set.missed, 'turn', set.turn,
    'owed', set.owed)
end

=== at_least.chances
function @{at_least.chances}(set)
  return set.left - set.missed + set.owed
end

=== at_least.open
function @{at_least.open}(id, open)
  local set, first = @{at_least.read}(id), nil
  local is_short = set.least > @{at_least.chances}(set)
  open = open - set.left - set.owed + (set.least > 0 and @{at_least.chances}(set) or set.owed)
  local found = @{edges.read}(id, 100)
  for _, edge in ipairs(found) do
    if edge.kind ~= 'some' or edge.mark == '0' then
      return open, edge.id, set
    elseif (tonumber(edge.mark) == set.turn) == is_short then
      first = first or edge.id
    end
  end
  return open, first or found[1] and found[1].id, set
end

=== at_least.is_ready
function @{at_least.is_ready}(set, open)
  return set.least <= 0 and open == set.left
end

=== at_least.text
function @{at_least.text}(slots, turn)
  return 'some' .. (turn or '') .. (slots ~= '' and '/' .. slots or '')
end

=== at_least.begin
function @{at_least.begin}(before, wanted)
  local named = @{at_least.named}(before.text)
  local set = next(named) and before.set or @{at_least.new}(1)
  local had = next(named) and @{at_least.wanted}(before.text) or 1
  set.named, set.least = named, set.least + (wanted.least or had) - had
  return set
end

=== at_least.look_at_ended
function @{at_least.look_at_ended}(task, wish, up, named)
  if up.status == 'complete' then
    task.set.least = task.set.least - (named and 0 or 1)
    return true
  elseif not named and up.status ~= 'deleted' then
    task.edges[#task.edges + 1] = { up = up, kind = 'some', slots = wish.slots, missed = true }
  end
end

=== at_least.count
function @{at_least.count}(task)
  local set = task.set
  for _, edge in ipairs(task.edges) do
    if edge.kind == 'some' and not edge.known then
      set.left, set.missed = set.left + 1, set.missed + (edge.missed and 1 or 0)
    elseif edge.kind == 'some' and tonumber(string.match(edge.known, '^some(%d+)')) == set.turn then
      set.missed = set.missed - 1
    end
  end
  if set.least > set.left + set.owed then
    return 'BADARG', 'least/NUMBER is at most the number of upstreams with the kind some'
  elseif set.least > @{at_least.chances}(set) then
    return 'UPSTREAM', 'too few of the upstreams can still be complete, so this task would never run: retry those that'
      .. ' failed first'
  end
end

=== at_least.add
function @{at_least.add}(set, mark, by)
  if mark == '0' then
    set.owed = set.owed + by
  else
    set.left, set.missed = set.left + by, set.missed + (tonumber(mark) == set.turn and by or 0)
  end
end

=== at_least.plan_end
function @{at_least.plan_end}(plan, task, up, to, mark, slots)
  local set, open = plan.set, redis.call('HLEN', @{edges.upstreams}(plan.id))
  @{at_least.add}(set, mark, -1)
  plan.met = to == 'complete'
  if plan.met then
    set.least = set.least - 1
    return
  elseif to == 'deleted' then
    plan.gone, open = @{edges.slots}(slots), open - 1
  else
    set.left, set.missed = set.left + 1, set.missed + 1
  end
  if @{at_least.is_ready}(set, open) then
    plan.met, plan.ready = true, true
    return
  end
  local may_wait = @{graphs.outcome}(to, up.flags) ~= 'skipped' and @{graphs.on_failure}(task.extra[5]) == 'hold'
    and set.least <= set.left + set.owed
  if set.least > @{at_least.chances}(set) and not may_wait then
    @{at_least.plan_again}(plan, up, open)
    plan.short = set.least > @{at_least.chances}(set)
  end
  plan.missed = not plan.short and @{at_least.text}(slots, set.turn)
end

=== at_least.plan_again
function @{at_least.plan_again}(plan, up, open)
  local set = plan.set
  plan.again = {}
  for _, edge in ipairs(open <= 300 and @{edges.read}(plan.id) or {}) do
    local other = edge.id ~= up.id and tonumber(edge.mark) == set.turn and @{record.find}(edge.id)
    if other and not @{contract.is_final}(other.status) then
      @{namespace.probe}('ZCARD', @{edges.dependents}(edge.id))
      plan.again[edge.id], set.missed = { up = other, text = @{at_least.text}(edge.slots) }, set.missed - 1
    end
  end
end

=== at_least.miss
function @{at_least.miss}(up, plan)
  if plan.gone then
    redis.call('ZREM', @{edges.dependents}(up.id), plan.id)
    redis.call('HDEL', @{edges.upstreams}(plan.id), up.id)
    @{edges.fill}(plan.id, plan.gone)
  else
    redis.call('ZADD', @{edges.dependents}(up.id), 'inf', plan.id)
    redis.call('HSET', @{edges.upstreams}(plan.id), up.id, plan.missed)
  end
  for id, edge in pairs(plan.again or {}) do
    redis.call('HSET', @{edges.upstreams}(plan.id), id, edge.text)
    @{edges.enter}(edge.up, plan.id)
  end
  @{at_least.write}(plan.id, plan.set)
end

=== at_least.drop
function @{at_least.drop}(id)
  redis.call('UNLINK', @{edges.upstreams}(id), @{edges.inputs}(id))
end

=== at_least.require
function @{at_least.require}(task, wanted, find)
  local code, text = @{at_least.count}(task)
  if code and (wanted.least or not find) then
    @{reply.fail}(code, text)
  elseif not find and @{at_least.is_ready}(task.set, #task.edges) then
    task.edges, task.set = {}, nil
  end
end

=== at_least.begin_count
function @{at_least.begin_count}(id)
  redis.call('HSET', @{edges.inputs}(id), 'missed', 0)
  redis.call('HINCRBY', @{edges.inputs}(id), 'turn', 1)
end

=== at_least.plan_retry
function @{at_least.plan_retry}(again, id, up, slots, over)
  local set = again.set
  if over and (up.status == 'complete' or up.status == 'deleted') then
    set.least = set.least - (up.status == 'complete' and 1 or 0)
    return true
  end
  set.left, set.missed = set.left + 1, set.missed + (over and 1 or 0)
  again.some[id] = { up = not over and up, text = @{at_least.text}(slots, over and set.turn) }
end

=== at_least.retry
function @{at_least.retry}(task, again)
  if again.to == 'pending' then
    @{at_least.drop}(task.id)
    return
  end
  for id, edge in pairs(again.some) do
    redis.call('HSET', @{edges.upstreams}(task.id), id, edge.text)
    if edge.up then
      @{edges.enter}(edge.up, task.id)
    else
      redis.call('ZADD', @{edges.dependents}(id), 'inf', task.id)
    end
  end
  @{at_least.write}(task.id, again.set)
end

=== at_least.plan_rerun
function @{at_least.plan_rerun}(task, again, text, order, marks)
  local set, known, there, others = @{at_least.new}(@{at_least.wanted}(text)), @{edges.upstreams}(task.id), {}, {}
  for _, id in ipairs(order) do
    local slots = string.match(again.texts[id], '^some(.*)$')
    if slots and marks[id] then
      again.texts[id], set.owed = 'some0' .. slots, set.owed + 1
    elseif slots then
      local status = redis.call('HGET', @{namespace.declare}(@{namespace.key}('task', id)), 'status')
      if redis.call('HEXISTS', known, id) == 1 then
        there[#there + 1] = id
      elseif status and status ~= 'complete' then
        others[#others + 1] = id
      else
        set.least = set.least - 1
      end
    end
  end
  if there[1] then
    set.least = math.max(set.least, @{at_least.read}(task.id).least)
  end
  for _, id in ipairs(set.least > 0 and others or {}) do
    there[#there + 1] = id
  end
  for _, id in ipairs(there) do
    set.left, again.open[#again.open + 1] = set.left + 1, id
    @{namespace.probe}('ZCARD', @{edges.dependents}(id))
    local up = not @{edges.note_ended}(again, id) and @{record.find}(id)
    again.still[#again.still + 1] = up or nil
    @{edges.forget}(again, id)
  end
  set.least = math.min(set.least, set.left + set.owed)
  again.set = (again.open[1] or set.owed > 0) and set or nil
end

=== at_least.check
function @{at_least.check}(id)
  local key = @{namespace.declare}(@{edges.upstreams}(id))
  local open = redis.call('HLEN', key)
  if open == 0 or open > 300 or redis.call('HEXISTS', @{namespace.declare}(@{edges.inputs}(id)), 'least') == 0 then
    return nil
  end
  local known, ended = @{at_least.read}(id), nil
  local set = @{at_least.new}(known.least)
  set.turn = known.turn
  for _, edge in ipairs(@{edges.read}(id)) do
    if edge.kind == 'some' then
      ended = tonumber(edge.mark) == set.turn and edge.id or ended
      @{at_least.add}(set, edge.mark, 1)
    end
  end
  set.least = math.min(set.least, set.left + set.owed)
  local what = @{at_least.is_ready}(set, open) and 'ready'
  for name, number in pairs(set) do
    what = what or number ~= known[name] and 'wrong'
  end
  return set, what, set.least > @{at_least.chances}(set) and ended
end

=== at_least.plan_removal
function @{at_least.plan_removal}(set, mark)
  @{at_least.add}(set, mark, -1)
  if set.left + set.owed == 0 then
    set.least = 0
  elseif set.least > @{at_least.chances}(set) then
    @{reply.fail}('UPSTREAM', 'too few of the others of its set can still be complete: have it wait for fewer of them'
      .. ' first, with depend and least/NUMBER')
  end
end

=== attempt.fields
function @{attempt.fields}()
  return 'outcome', 'losses', 'failures', 'parameters', 'checkpoint'
end

=== attempt.answer
function @{attempt.answer}(task, deadline, lease, told)
  return { task.id, task.queue, task.token, tonumber(task.attempt), deadline, lease,
    told[1] or '', told[2] or '0', told[3] or '0', told[4] or '', told[5] }
end

=== attempt.repeated
function @{attempt.repeated}(id, listener, request)
  local v = redis.call('HMGET', @{namespace.prefix} .. 'task_' .. id,
    'status', 'queue', 'attempt', 'token', 'node', 'request', 'lease', @{attempt.fields}())
  if (v[1] ~= 'reserved' and v[1] ~= 'started') or v[5] ~= listener or v[6] ~= request then
    return nil
  end
  local deadline = redis.call('ZSCORE', @{namespace.prefix} .. 'leases_' .. v[2], id .. ' ' .. (v[4] or ''))
  local task = { id = id, queue = v[2], token = v[4], attempt = v[3] }
  return deadline and @{attempt.answer}(task, tonumber(deadline), tonumber(v[7]), { unpack(v, 8, 12) }) or nil
end

=== attempt.add_stray
function @{attempt.add_stray}(call, task)
  @{holdings.load}(task)
  if not task.rank then
    call.strays = call.strays or {}
    call.strays[#call.strays + 1] = task
    @{ranking.plan}(task)
    @{wakeups.plan}(task.queue)
  end
end

=== attempt.clear
function @{attempt.clear}(call)
  for queue, number in pairs(call.ghosts or {}) do
    for _ = 1, number do
      redis.call('RPOP', @{namespace.prefix} .. 'pending_tasks_' .. queue)
    end
  end
  for _, task in ipairs(call.strays or {}) do
    @{ranking.add}(task)
    do
      local queue = task.queue
      local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
      local value_2_1
      do
        local queue, idle, sets = queue, idle[queue], idle['*']
        if idle then
          redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
        end
        if sets then
          do
            local queue = queue
            local ready = @{namespace.prefix} .. 'ready'
            if not @{namespace.declared} or @{namespace.is_here}(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if sets ~= '' then
            sets = @{wakeups.wake_sets}(sets, queue)
          end
        end
        redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
        value_2_1 = sets
      end
      local sets = value_2_1
      idle[queue], idle['*'] = nil, sets
    end
  end
  call.strays = nil
end

=== attempt.read
function @{attempt.read}(id)
  local key = @{namespace.prefix} .. 'task_' .. id
  local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'outcome', 'parameters', 'updated', 'flags')
  if v[4] or v[3] ~= '0' then
    local ended = redis.call('HMGET', key, 'losses', 'failures', 'checkpoint')
    v[8], v[9], v[10] = ended[1], ended[2], ended[3]
  end
  return v
end

=== attempt.select
function @{attempt.select}(call, queue, task, v, known)
  local own, common = known.own, known.common
  local set, waits, open, free = own or common, { stale = {} }, true, nil
  if set then
    @{namespace.shared}('settings')[queue] = { own, common }
    waits.limits = @{limits.queue_state}(queue)
    open, free = @{limits.allows}(waits.limits, 1)
  end
  waits.queue = queue
  call.updates = call.updates or {}
  call.updates[#call.updates + 1] = waits
  local best = task and { plain = true, id = task.id }
  if open and known.ranked then
    if best then
      best.rank = @{fairness.list_rank}(v[6], redis.call('HGET', @{namespace.prefix} .. 'task_' .. task.id, 'front'))
    end
    best = @{ranking.next}(queue, known, best, waits.stale)
  end
  if best and not best.plain then
    v = @{attempt.read}(best.id)
    if v[1] ~= 'pending' or v[2] ~= queue then
      waits.ghost = best
      @{namespace.declare}(@{namespace.prefix} .. 'task_' .. best.id)
      return nil
    end
    task = { id = best.id, queue = queue, status = 'pending', attempt = v[3] or '0', since = v[6], flags = v[7] or 'r',
      taker = call.listener, request = call.request, foreign = not v[3] or nil }
  end
  if open and best and task.flags then
    @{holdings.load}(task)
    if task.weight and set then
      open, free = @{limits.allows}(waits.limits, task.weight)
    end
  end
  waits.pool = known.pool
  if waits.pool and waits.pool.free then
    free = math.min(free or math.huge, waits.pool.free)
  end
  waits.free = free
  if not open or not best then
    return nil
  end
  waits.chosen = true
  if waits.pool then
    waits.pool.served = best.class
  end
  if set then
    task.set_lease = @{settings.micros}(queue, 'lease')
  end
  return task, v
end

=== attempt.plan_updates
function @{attempt.plan_updates}(updates)
  for _, waits in ipairs(updates) do
    local queue = waits.queue
    @{fairness.plan_refresh}(queue, waits.stale)
    if waits.free then
      @{namespace.probe}('ZCARD', @{namespace.key}('delayed', queue))
    end
    if waits.chosen and waits.limits and waits.limits.rate then
      @{namespace.probe}('LLEN', @{limits.starts_key}(queue))
    end
    if waits.ghost then
      @{ranking.plan_discard}(queue, waits.ghost)
    end
    if waits.pool then
      @{shared_turns.plan_write}(waits.pool)
    end
    waits.again = (waits.ghost or #waits.stale > 0) and not waits.chosen
    if waits.again then
      @{wakeups.plan}(queue)
    end
  end
end

=== attempt.write_updates
function @{attempt.write_updates}(updates)
  for _, waits in ipairs(updates) do
    local queue = waits.queue
    if waits.ghost then
      @{ranking.discard}(queue, waits.ghost)
    end
    for _, key in ipairs(waits.stale) do
      @{fairness.refresh_all}(queue, key)
    end
    if waits.free then
      redis.call('ZADD', @{namespace.key}('delayed', queue), string.format('%.0f', waits.free), '/')
    end
    if waits.chosen and waits.limits then
      @{limits.record_start}(waits.limits.list, waits.limits.rate, string.format('%.0f', @{namespace.now_us}))
    end
    if waits.pool then
      @{shared_turns.write}(waits.pool)
    end
    if waits.again then
      do
        local queue = queue
        local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
        local value_2_1
        do
          local queue, idle, sets = queue, idle[queue], idle['*']
          if idle then
            redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
          end
          if sets then
            do
              local queue = queue
              local ready = @{namespace.prefix} .. 'ready'
              if not @{namespace.declared} or @{namespace.is_here}(ready) then
                redis.pcall('ZADD', ready, '0', queue)
              end
            end
            if sets ~= '' then
              sets = @{wakeups.wake_sets}(sets, queue)
            end
          end
          redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
          value_2_1 = sets
        end
        local sets = value_2_1
        idle[queue], idle['*'] = nil, sets
      end
    end
  end
end

=== attempt.queue_order
function @{attempt.queue_order}(call)
  local passes = redis.call('HMGET', @{namespace.prefix} .. 'rounds_' .. call.listener, '*', unpack(call.queues))
  local queues, weights, last = {}, call.weights, tonumber(passes[1] or 0)
  for i, queue in ipairs(call.queues) do
    queues[i] = { at = i, queue = queue,
      pass = math.max(tonumber(passes[i + 1] or 0), last), step = 1000000 / (weights and weights[i] or 1) }
  end
  table.sort(queues, function(one, other)
    return one.pass < other.pass or one.pass == other.pass and one.at < other.at
  end)
  return queues
end

=== attempt.order
function @{attempt.order}(queues, order, weights)
  if (weights ~= nil) ~= (order == 'weighted') or weights and #weights ~= #queues then
    @{reply.fail}('BADARG', 'weights need the order weighted, with one weight for each queue')
  end
  return order ~= 'strict' and order or nil
end

=== attempt.record_served
function @{attempt.record_served}(listener, order, queue)
  local changes, pass = {}, 0
  for _, asked in ipairs(order) do
    if asked.queue == queue then
      pass = asked.pass
    end
  end
  for _, asked in ipairs(order) do
    changes[#changes + 1] = asked.queue
    changes[#changes + 1] = string.format('%.0f',
      asked.queue == queue and pass + asked.step or math.max(asked.pass, pass))
  end
  local rounds = @{namespace.prefix} .. 'rounds_' .. listener
  redis.call('HSET', rounds, '*', string.format('%.0f', pass), unpack(changes))
  redis.call('EXPIRE', rounds, 86400)
end

=== audit.key
function @{audit.key}()
  return @{namespace.prefix} .. 'audit'
end

=== audit.plan
function @{audit.plan}()
  @{namespace.probe}('XLEN', @{audit.key}())
end

=== audit.add
function @{audit.add}(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', @{audit.key}(), 'MAXLEN', '~', @{settings.get}('*', 'audit'), '*', 'at', @{namespace.now}, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end

=== audit.payload
function @{audit.payload}(bytes)
  return #bytes .. ' bytes, sha1 ' .. string.sub(redis.sha1hex(bytes), 1, 12)
end

=== audit.flow
function @{audit.flow}(queue)
  if redis.call('HEXISTS', @{namespace.meta}, 'paused:' .. queue) == 0 then
    return 'open'
  end
  return redis.call('HEXISTS', @{orders.key}(queue), 'q') == 1 and 'stopped' or 'paused'
end

=== batch.take
function @{batch.take}(tasks, pid)
  local first = tasks[1]
  local queue, listener, prefix = first.queue, first.taker, @{namespace.prefix}
  local leases, ids, started = {}, {}, {}
  for i = 1, #tasks do
    local task = tasks[i]
    leases[2 * i - 1], leases[2 * i], ids[i] = task.deadline, task.id .. ' ' .. task.issue, task.id
    started[i] = pid and listener .. ' ' .. pid .. ' ' .. task.id or nil
  end
  redis.call('ZADD', prefix .. 'leases_' .. queue, unpack(leases))
  redis.call('LTRIM', prefix .. 'pending_tasks_' .. queue, 0, -1 - #tasks)
  redis.call('LPUSH', prefix .. 'reserved_tasks_' .. queue .. '_' .. listener, unpack(ids))
  if pid then
    redis.call('SADD', prefix .. 'started_tasks_' .. queue, unpack(started))
  end
end

=== batch.enter
function @{batch.enter}(tasks, to, why)
  local queue, prefix, now = tasks[1].queue, @{namespace.prefix}, @{namespace.now}
  local index = prefix .. to .. '_tasks_' .. queue
  local all, entries = {}, {}
  for i, task in ipairs(tasks) do
    all[2 * i - 1], all[2 * i] = now, task.id
    if to == 'pending' then
      entries[i] = task.id
    else
      entries[2 * i - 1], entries[2 * i] = to == 'scheduled' and task.eta or now, task.id
    end
  end
  redis.call('ZADD', prefix .. 'tasks_' .. queue, unpack(all))
  redis.call(to == 'pending' and 'LPUSH' or 'ZADD', index, unpack(entries))
  for i = 1, #tasks do
    local task = tasks[i]
    redis.call('HSET', task.key, 'status', to, 'updated', now, 'created', now)
    do
      local task, to, why, by, at, trims = task, to, why, '', now, i == 1
      local from, stream = task.status, @{namespace.prefix} .. 'events_' .. task.queue
      local text, added
      if from then
        local code = why == 'complete' and from == 'started' and to == 'complete' and 'c '
          or why == 'reserve' and (to == 'started' and 't ' or 'r ') or why == 'start' and 's '
          or from .. '>' .. to .. '>' .. why .. ' '
        local since = task.since or ''
        if #since == 17 and #at == 17 and string.sub(since, 1, 8) == string.sub(at, 1, 8) then
          since = string.sub(since, 9)
        elseif not string.find(since, '^[%d.]*$') then
          since = ''
        end
        text = code .. task.id .. ' ' .. task.attempt .. ' ' .. since .. ' ' .. by
        if (from == 'started' or from == 'reserved') and by ~= task.node and to ~= 'started' then
          text = text .. ' ' .. task.node
        end
      else
        text = (to == 'pending' and why == 'submit' and 'p ' or '>' .. to .. '>' .. why .. ' ') .. task.id
        if (task.attempt or '0') ~= '0' then
          text = text .. ' ' .. task.attempt
        end
      end
      @{event_entries.id} = @{event_entries.id} or string.sub(@{namespace.now}, 1, -8) .. string.sub(@{namespace.now}, -6) .. '-*'
      if at ~= @{namespace.now} then
        added = { err = 'the time is not the time of the call' }
      elseif trims then
        added = redis.pcall('XADD', stream, 'MAXLEN', '~', '100000', @{event_entries.id}, 'e', text)
      else
        added = redis.pcall('XADD', stream, @{event_entries.id}, 'e', text)
      end
      if added.err then
        redis.call('XADD', stream, 'MAXLEN', '~', '100000', '*', 'e', text, 'at', at)
      end
    end
  end
end

=== batch.complete
function @{batch.complete}(tasks)
  local first = tasks[1]
  local queue, prefix = first.queue, @{namespace.prefix}
  local held = prefix .. 'reserved_tasks_' .. queue .. '_' .. first.node
  local leases, ids, started = {}, {}, {}
  for i = 1, #tasks do
    local task = tasks[i]
    leases[i], ids[i] = task.id .. ' ' .. task.token, task.id
    if task.status == 'started' then
      started[#started + 1] = task.node .. ' ' .. task.pid .. ' ' .. task.id
    end
  end
  redis.call('ZREM', prefix .. 'leases_' .. queue, unpack(leases))
  for i = 1, #ids do
    redis.call('LREM', held, '-1', ids[i])
  end
  if started[1] then
    redis.call('SREM', prefix .. 'started_tasks_' .. queue, unpack(started))
  end
  redis.call('LPUSH', prefix .. 'complete_tasks_' .. queue, unpack(ids))
end

=== calendar.date
function @{calendar.date}(day)
  local floor = math.floor
  local shifted = day + 719468
  local era = floor(shifted / 146097)
  local of_era = shifted - era * 146097
  local year = floor((of_era - floor(of_era / 1460) + floor(of_era / 36524) - floor(of_era / 146096)) / 365)
  local of_year = of_era - (365 * year + floor(year / 4) - floor(year / 100))
  local month = floor((5 * of_year + 2) / 153)
  local date = of_year - floor((153 * month + 2) / 5) + 1
  return string.format('%04d%02d%02d', era * 400 + year + (month >= 10 and 1 or 0),
    month < 10 and month + 3 or month - 9, date)
end

=== calendar.day
function @{calendar.day}(value, what)
  local year, month, date = string.match(value, '^(%d%d%d%d)(%d%d)(%d%d)$')
  local day
  if #value == 8 and year then
    local floor = math.floor
    year = month + 0 > 2 and year + 0 or year - 1
    local era = floor(year / 400)
    local of_era = year - era * 400
    local of_year = floor((153 * (month + 0 > 2 and month - 3 or month + 9) + 2) / 5) + date - 1
    day = era * 146097 + of_era * 365 + floor(of_era / 4) - floor(of_era / 100) + of_year - 719468
  end
  if not day or day < 0 or @{calendar.date}(day) ~= value then
    @{reply.fail}('BADARG', what .. ' must be a day in UTC from 1970 on, as YYYYMMDD')
  end
  return day
end

=== calendar.span
function @{calendar.span}(day)
  local low, high = string.format('%.6f', day * 86400), string.format('%.6f', (day + 1) * 86400)
  if #low == 17 and #high == 17 then
    return low, high
  end
  return '', ''
end

=== cancel_unneeded.plan
function @{cancel_unneeded.plan}(task, from, limit)
  local cursor, offset = string.match(from, '^(%d+)/?(%d*)$')
  offset = tonumber(offset) or 0
  local page, after = @{edges.read}(task.id, limit, cursor)
  local step = { tasks = {}, left = {} }
  local ended = @{graphs.outcome}(task.status, task.flags)
  step.spec = { planned = {}, reason = 'not needed: ' .. task.id .. (ended == 'failed' and ' ' or ' was ') .. ended,
    cause = task.cause or task.id, discard = true, skip = ended == 'skipped' }
  local last = math.min(#page, offset + limit)
  if @{graphs.on_failure}(task.graph) ~= 'cancel' then
    page, after, last = {}, '0', 0
  end
  for i = offset + 1, last do
    if @{edges.wants}(page[i].kind) then
      @{cancel_unneeded.plan_one}(task, page[i].id, step)
    end
    if (step.spec.entries or 0) > 20000 then
      last = i
      break
    end
  end
  if last < #page then
    step.after = cursor .. '/' .. string.format('%d', last)
  elseif after ~= '0' then
    step.after = after
  end
  return step
end

=== cancel_unneeded.plan_one
function @{cancel_unneeded.plan_one}(down, id, step)
  local up = @{actions.find}(id)
  if not up or @{contract.is_final}(up.status) or not up.flags then
    return
  end
  @{holdings.load}(up)
  @{namespace.probe}('ZCARD', @{edges.dependents}(id))
  step.left[#step.left + 1] = id
  local score = redis.call('ZSCORE', @{edges.dependents}(id), down.id)
  up.knowing = score and string.sub(score, 1, 1) ~= '-' and 1 or 0
  if up.graph == down.graph and id ~= step.spec.cause and not @{cancel_unneeded.is_needed}(id, down.id)
    and not @{cancelling.plan}(up, step.spec) and up.to then
    step.tasks[#step.tasks + 1] = up
  end
end

=== cancel_unneeded.is_needed
function @{cancel_unneeded.is_needed}(id, other)
  local dependents = redis.call('ZRANGEBYSCORE', @{edges.dependents}(id), '(0', 'inf', 'LIMIT', 0,
    100 + 2)
  for _, dependent in ipairs(dependents) do
    local status = dependent ~= other and redis.call('HGET', @{namespace.key}('task', dependent), 'status')
    if status and not @{contract.is_final}(status) then
      local kind = @{edges.parse}(redis.call('HGET', @{edges.upstreams}(dependent), id))
      if kind and @{edges.wants}(kind) then
        return true
      end
    end
  end
  return #dependents > 100 + 1
end

=== cancel_unneeded.run
function @{cancel_unneeded.run}(task, step)
  for _, id in ipairs(step.left) do
    redis.call('ZADD', @{edges.dependents}(id), '-' .. @{namespace.now}, task.id)
  end
  for _, up in ipairs(step.tasks) do
    @{cancelling.cancel}(up, step.spec)
  end
  @{edges.keep_place}(task, step.after)
end

=== cancelling.plan
function @{cancelling.plan}(task, spec)
  if task.status == 'cancelled' then
    return
  elseif @{contract.is_final}(task.status) then
    return @{actions.refuse}(task, 'waiting, scheduled, pending, held, reserved or started')
  end
  if spec.skip and not task.cancel then
    task.skip = (task.flags or '') .. 'x'
    task.flags = task.skip
  end
  if @{record.held}(task) and not @{cancelling.frees}(task, spec) then
    local order = spec.force and 'kill' or 'cancel'
    local given = @{orders.of}(task)
    task.to = given ~= 'kill' and (given ~= order or spec.discard) and 'cancelling'
    task.order = order
    @{orders.plan}(task.queue)
    @{tracking.plan_note}(task)
    return
  end
  @{actions.plan}(task, 'cancelled', spec)
end

=== cancelling.frees
function @{cancelling.frees}(task, spec)
  return spec.at_once or spec.force and task.token == ''
end

=== cancelling.cancel
function @{cancelling.cancel}(task, spec)
  if task.to == 'cancelling' then
    @{orders.give}(task.queue, 't:' .. task.id, task.order)
    redis.call('HSET', task.key, 'cancel', task.cancel or @{namespace.now},
      unpack(task.cancel and spec.reason == '' and {} or { 'reason', spec.reason }))
    if task.skip then
      redis.call('HSET', task.key, 'flags', task.skip)
    end
    if spec.discard then
      redis.call('HSET', task.key, 'discard', '1', unpack(spec.cause and { 'cause', spec.cause } or {}))
    end
    @{tracking.note}(task, 'cancel', spec.by, spec.reason)
  elseif @{record.held}(task) then
    @{state.move}(task, 'cancelled', 'cancel', '', 'reason', spec.reason, 'ended', task.token, 'outcome', 'lost',
      unpack(task.skip and { 'flags', task.skip } or {}))
    @{orders.announce}(task.queue)
  else
    local fields = task.skip and { 'flags', task.skip } or {}
    if spec.cause then
      fields[#fields + 1], fields[#fields + 2] = 'cause', spec.cause
    end
    @{state.move}(task, 'cancelled', 'cancel', '', 'reason', spec.reason, unpack(fields))
  end
end

=== controlling.KINDS
@{controlling.KINDS} = {
  suspend = { doing = 'suspending', done = 'suspended', instead = ': it does not run, so hold it instead' },
  unsuspend = { doing = 'continuing', done = 'unsuspended' },
  signal = { doing = 'signalling', done = 'signalled' },
  describe = { doing = 'describing', silent = true },
}

=== controlling.refuse
function @{controlling.refuse}(task, what)
  if @{contract.is_waiting}(task.status) then
    local instead = @{controlling.KINDS}[what].instead or ': it has no program that runs'
    return 'STATE', 'the task is ' .. task.status .. instead
  end
  return @{actions.refuse}(task, 'reserved or started')
end

=== controlling.plan
function @{controlling.plan}(task, spec)
  local what = spec.what
  if not @{record.held}(task) then
    return @{controlling.refuse}(task, what)
  elseif task.token == '' then
    return 'STATE', 'a client without scripts holds the task and gets no orders'
  elseif task.cancel or task.requeue then
    return 'STATE', 'the task is being stopped: wait until its program has ended'
  end
  local found = @{controls.load}(task)
  if what == 'suspend' and found.wanted or what == 'unsuspend' and not found.wanted then
    return
  elseif #found.list >= 16 then
    return 'TOOMANY', 'the worker has not answered the last requests to this task: wait until it has'
  end
  local kind = @{controlling.KINDS}[what]
  task.to = kind.doing
  task.controls = found
  found.last = found.last + 1
  found.list[#found.list + 1] = { number = found.last, what = what, detail = spec.detail or '' }
  @{orders.plan}(task.queue)
  if not kind.silent then
    @{history.plan}(task)
    @{tracking.plan_note}(task)
  end
end

=== controlling.ask
function @{controlling.ask}(task, spec)
  local what, fields = spec.what, { 'controls', @{controls.text}(task.controls.list) }
  if not @{controls.has}(task) then
    @{reply.add}(fields, 'flags', (task.flags or '') .. 'c')
  end
  if what == 'suspend' then
    @{reply.add}(fields, 'suspended_by', spec.by or '')
  end
  redis.call('HSET', task.key, unpack(fields))
  @{orders.give}(task.queue, 't:' .. task.id, 'attend')
  if not @{controlling.KINDS}[what].silent then
    @{controlling.tell}(task, what, spec.by or '', spec.detail)
  end
end

=== controlling.tell
function @{controlling.tell}(task, why, by, text)
  local note = text and text ~= '' and { 'note', text } or nil
  @{history.add}(task, { to = task.status, why = why, by = by, at = @{record.time}(task), note = note }, '', '', '', '')
  @{tracking.note}(task, why, by, text)
end

=== controlling.plan_answer
function @{controlling.plan_answer}(task, what)
  @{orders.plan}(task.queue)
  if @{controlling.KINDS}[what].silent then
    @{namespace.probe}('HLEN', @{controls.described}(task.id))
  else
    @{history.plan}(task)
    @{tracking.plan_note}(task)
  end
end

=== controlling.answer
function @{controlling.answer}(task, found, refused, text)
  local key, request = @{namespace.prefix} .. 'task_' .. task.id, table.remove(found.list, 1)
  local number = string.format('%.0f', request.number)
  local fields, gone = { 'controlled', number }, {}
  if refused then
    @{reply.add}(fields, 'control_refused', number .. ' ' .. refused)
  elseif request.what == 'suspend' then
    @{reply.add}(fields, 'suspended', @{namespace.now})
  elseif request.what == 'unsuspend' then
    gone = { 'suspended', 'suspended_by' }
    if found.suspended then
      @{reply.add}(fields, 'continued', @{namespace.now})
    end
  end
  if found.list[1] then
    @{reply.add}(fields, 'controls', @{controls.text}(found.list))
  else
    gone[#gone + 1] = 'controls'
    if not task.cancel and not task.requeue then
      @{orders.take_back}(task.queue, 't:' .. task.id)
    end
  end
  if refused and request.what == 'suspend' then
    gone[#gone + 1] = 'suspended_by'
  end
  redis.call('HSET', key, unpack(fields))
  if gone[1] then
    redis.call('HDEL', key, unpack(gone))
  end
  local kind = @{controlling.KINDS}[request.what]
  if kind.silent then
    if text and not refused then
      local described = @{controls.described}(task.id)
      redis.call('HSET', described, @{controls.place}(request.number),
        string.format('%.0f', task.token) .. ' ' .. number .. ' ' .. text)
      redis.call('EXPIRE', described, '60')
    end
    return
  end
  @{controlling.tell}(task, refused and 'refused' or kind.done, task.node, refused or request.detail)
end

=== controls.load
function @{controls.load}(task)
  local v = redis.call('HMGET', @{namespace.prefix} .. 'task_' .. task.id, 'controls', 'controlled', 'suspended')
  local found = { list = {}, last = tonumber(v[2] or 0), suspended = v[3], wanted = v[3] and true or false }
  for number, what, detail in string.gmatch(v[1] or '', '(%d+) (%a+) (%w*);') do
    found.last = tonumber(number)
    found.list[#found.list + 1] = { number = found.last, what = what, detail = detail }
    if what == 'suspend' or what == 'unsuspend' then
      found.wanted = what == 'suspend'
    end
  end
  return found
end

=== controls.text
function @{controls.text}(list)
  local parts = {}
  for i, request in ipairs(list) do
    parts[i] = string.format('%.0f %s %s;', request.number, request.what, request.detail)
  end
  return table.concat(parts)
end

=== controls.has
function @{controls.has}(task)
  return task.flags and string.find(task.flags, 'c', 1, true)
end

=== controls.described
function @{controls.described}(id)
  return @{namespace.key}('described', id)
end

=== controls.place
function @{controls.place}(number)
  return string.format('%d', number % 4)
end

=== controls.fields
function @{controls.fields}()
  return 'controls', 'controlled', 'control_refused', 'suspended', 'suspended_by', 'continued'
end

=== controls.forget
function @{controls.forget}(task, to)
  @{orders.take_back}(task.queue, 't:' .. task.id)
  if to == 'deleted' then
    return
  end
  local key, flags = @{namespace.prefix} .. 'task_' .. task.id, string.gsub(task.flags, 'c', '')
  redis.call('HDEL', key, 'flags', @{controls.fields}())
  if flags ~= '' then
    redis.call('HSET', key, 'flags', flags)
  end
end

=== creation.spec
function @{creation.spec}(options)
  local fields = {}
  local spec = { fields = fields, max_bytes = options.max_bytes, policy = options.unique_policy,
    unique = options.unique, hold = options.hold }
  if not options.unique and (options.unique_until or options.unique_policy) then
    @{reply.fail}('BADARG', 'unique_until and unique_policy need the option unique')
  end
  local priority, key, till = options.priority ~= '0' and options.priority or nil, options.key,
    options.unique_until or 'end'
  if options.unique_policy == 'latest' then
    if key or options.unique_until then
      @{reply.fail}('BADARG', 'the policy latest sets key and unique_until: leave them out')
    end
    key, till, spec.exclusive = options.unique, 'start', '1'
  elseif options.exclusive then
    key, spec.exclusive = options.exclusive, '1'
  end
  local weight = options.weight and tonumber(options.weight) > 1 and string.format('%d', options.weight) or nil
  local lease = options.lease and string.format('%.0f', options.lease * 1000000)
  local watch = @{watches.of}(options.notify, options.deadline)
  local flags = ((priority or key or options.needs or options.limits) and 'r' or '')
    .. ((key or weight or options.limits) and 'p' or '')
    .. (options.unique and 'u' or '') .. (options.tags and 't' or '') .. (lease and 'l' or '')
    .. (options.inputs and (options.inputs.some > 0 and 'wk' or 'w') or '') .. (options.deadline and 'e' or '')
    .. (options.steps and 's' or '') .. (options.notify and 'n' or '') .. (watch and 'm' or '')
  options.priority, options.key, options.weight = priority, key, weight
  options.exclusive, options.lease = spec.exclusive, nil
  options.unique_until, options.own_lease = options.unique and till, lease
  options.max_bytes, options.unique_policy, options.hold = nil, nil, nil
  if options.inputs then
    spec.inputs, options.inputs = options.inputs, options.inputs.text
  end
  if flags ~= '' then
    options.flags, spec.flags = flags, flags
    spec.holds = {
      priority = priority, fair_key = key, weight = weight, needs = options.needs, unique = options.unique, till = till,
      tags = options.tags, own_lease = lease, exclusive = spec.exclusive, end_by = options.deadline,
      shared = options.limits, notify = options.notify, watch = watch,
    }
  end
  for name, value in pairs(options) do
    if value then
      fields[#fields + 1], fields[#fields + 2] = name, value
    end
  end
  return spec
end

=== creation.apply
function @{creation.apply}(task, spec)
  task.flags = spec.flags
  task.begins = task.edges and (task.edges[1] or task.joins) and 'waiting'
    or spec.hold and 'held' or task.eta and 'scheduled' or 'pending'
  if spec.flags then
    @{holdings.assign}(task, spec.holds)
  end
  if task.end_by then
    @{deadlines.require_ahead}(task.end_by)
  end
  return task.begins
end

=== creation.conflict
function @{creation.conflict}(task, spec)
  local id = @{holdings.name_conflict}(task)
  if not id then
    return nil
  end
  local rival = @{record.find}(id, 'unique')
  local here = rival and rival.queue == task.queue and rival.extra[1] == task.unique
  local policy = spec.policy or 'reject'
  local waits = here and @{contract.is_waiting}(rival.status)
  if not here and policy ~= 'reject' then
    return nil
  elseif policy == 'existing' then
    return id
  elseif waits and (policy == 'replace' or policy == 'latest') then
    @{namespace.require_settled_slot}()
    return id, rival
  end
  @{reply.fail}('DUPLICATE', 'another task has this unique name; get its id with the policy existing, or wait until it ends, starts, or its time passes')
end

=== creation.plan
function @{creation.plan}(task)
  if task.needs or task.shared then
    @{creation.require_few_needs}(task.queue, @{needs.class}(task))
  end
  @{state.plan_flags}(task, task.begins)
end

=== creation.require_few_needs
function @{creation.require_few_needs}(queue, wanted)
  local known = @{namespace.declare}(@{namespace.key}('needs', queue))
  if not @{needs.number}(queue, wanted) and redis.call('HLEN', known) >= 64 then
    @{reply.fail}('TOOMANY', 'the tasks that wait in this queue have 64 different needs and sets of shared limits'
      .. ' already: ${TICK}why${TICK} and doctor name needs that no listener has: cancel such tasks, or start a listener for them')
  end
end

=== creation.insert
function @{creation.insert}(task, spec, why)
  local more = spec.fields
  if task.eta then
    more = { 'eta', task.eta, unpack(spec.fields) }
  end
  @{state.move}(task, task.begins, why, '',
    'queue', task.queue, 'parameters', task.parameters, 'created', task.created, 'attempt', '0', unpack(more))
  if task.begins == 'waiting' then
    @{edge_submit.enter}({ task })
  end
  if task.joins then
    @{fan_in.begin}(task.id)
  end
end

=== creation.require_open
function @{creation.require_open}(own, common)
  if @{settings.value}(own, common, 'closed') == '1' then
    @{reply.fail}('CLOSED', 'this queue is closed: open it with ${TICK}blueque drain QUEUE --off${TICK}, or set closed to 0')
  end
end

=== deadlines.has
function @{deadlines.has}(task)
  return task.flags and string.find(task.flags, 'e', 1, true)
end

=== deadlines.is_past
function @{deadlines.is_past}(end_by)
  return tonumber(end_by) * 1000000 <= @{namespace.now_us}
end

=== deadlines.refusal
function @{deadlines.refusal}()
  return 'OVERDUE', 'the deadline of the task has passed: give it a later one with the option deadline'
end

=== deadlines.require_ahead
function @{deadlines.require_ahead}(end_by)
  if @{deadlines.is_past}(end_by) then
    @{reply.fail}(@{deadlines.refusal}())
  end
end

=== deadlines.decided
function @{deadlines.decided}(task)
  if not task.cancel or not @{deadlines.has}(task) then
    return false
  end
  @{holdings.load}(task)
  return task.end_by ~= nil and tonumber(task.cancel) >= tonumber(task.end_by)
end

=== deadlines.forgotten
function @{deadlines.forgotten}()
  return { 'cancel', 'requeue', 'reason' }
end

=== deadlines.finish
function @{deadlines.finish}(task, why, ...)
  task.group, task.forget = 'deadline', @{deadlines.forgotten}()
  return @{fence.finish}(task, 'failed', 'failed', why, 'group', 'deadline', 'error', 'its deadline has passed', ...)
end

=== deadlines.plan_retry
function @{deadlines.plan_retry}(task, end_by)
  if @{deadlines.has}(task) then
    @{holdings.load}(task)
  elseif end_by then
    task.flags = (task.flags or '') .. 'e'
    @{holdings.load}(task)
  end
  task.new_end = end_by
  task.end_by = end_by or task.end_by
  if task.watch then
    task.watch.end_by = task.end_by
  end
  if task.end_by and @{deadlines.is_past}(task.end_by) then
    return @{deadlines.refusal}()
  end
end

=== deferred.notify
function @{deferred.notify}(up, ids, last)
  @{edge_end.plan_page}(up, up.status, ids)
  for _, plan in ipairs(up.dependents) do
    @{state.plan_follow}(plan)
  end
  local gone = last and up.status == 'deleted' and not up.awaited
    and redis.call('ZCOUNT', @{edges.dependents}(up.id), '-inf', '-inf') == 0
  @{namespace.begin}()
  up.is_settled = true
  if last then
    redis.call('ZREM', @{edges.deferred}(), up.id)
  end
  @{state.propagate}(up)
  if up.runs then
    @{edges.flag}(up)
  end
  if gone then
    redis.call('UNLINK', @{edges.dependents}(up.id))
  end
  return #ids, not last
end

=== deferred.check
function @{deferred.check}(up, place)
  local verdict, next_place = @{json.step}(up.result, place)
  @{namespace.begin}()
  redis.call('HSET', up.key, 'checked', up.since .. ' ' .. (next_place or verdict and 'yes' or 'no'))
  return 1, true
end

=== deferred.join
function @{deferred.join}(task)
  local step = @{fan_in_steps.plan}(task)
  @{state.plan_follow}(step.ready or {})
  @{namespace.begin}()
  @{fan_in_steps.run}(task, step)
  @{state.follow}(step.ready or {})
  return 1, true
end

=== deferred.cascade
function @{deferred.cascade}(task, from, limit)
  local step = @{cancel_unneeded.plan}(task, from, limit)
  @{deferred.run_step}(task, step, @{cancel_unneeded.run})
  return #step.tasks, step.after
end

=== deferred.run_step
function @{deferred.run_step}(task, step, run)
  @{namespace.begin}()
  if not step.after then
    redis.call('ZREM', @{edges.deferred}(), task.id)
  end
  run(task, step)
end

=== deferred.look
function @{deferred.look}(task, from)
  local step = @{edge_retry.plan_look}(task, from)
  @{deferred.run_step}(task, step, @{edge_retry.look_again})
  return #step.open + #step.ended, step.after
end

=== deferred.go_on
function @{deferred.go_on}(id, limit)
  @{namespace.probe}('ZCARD', @{graphs.all}())
  @{namespace.declare}(@{graphs.due}())
  @{namespace.probe}('LLEN', @{graphs.tasks}(id))
  local graph = @{graphs.find}(id)
  if not graph or graph.state ~= 'created' then
    local ids, outside, bounds = @{graph_release.plan_removal}(id, limit)
    @{namespace.begin}()
    @{graph_release.remove}(id, ids, outside, bounds)
    return #ids + #outside, #ids + #outside > 0
  end
  local tasks, outside = @{graph_release.plan_release}(graph, limit)
  local number = #tasks + #outside
  local walk = number == 0 and @{walks.find}(graph)
  if walk then
    @{walks.plan}(walk, limit)
    @{namespace.begin}()
    @{walks.run}(walk)
    return #walk.tasks, not walk.pause
  end
  @{namespace.begin}()
  if number == 0 then
    redis.call('ZREM', @{graphs.due}(), id)
  end
  @{graph_release.release}(graph, tasks, outside)
  return number, number > 0
end

=== deferred.find
function @{deferred.find}(id)
  local task = @{record.find}(id, 'cascade', 'cause', 'graph', 'checked') or @{graphs.coming}(id)
    or { id = id, status = 'deleted', extra = {} }
  task.cause, task.graph = task.extra[2], task.extra[3]
  return task
end

=== deferred.untold
function @{deferred.untold}(task, limit)
  local ids, id = {}, task.id
  if @{edges.is_over}(task.status) then
    task.result = task.status == 'complete' and redis.call('HGET', task.key, 'result') or ''
    limit = math.max(1, math.min(limit, math.floor(1048576 / math.max(1, #task.result))))
    ids = @{edge_end.untold}(id, task.status, limit + 1)
    task.runs = task.status ~= 'deleted' and not string.find(task.flags or '', 'd', 1, true)
      and select(2, @{edges.waiting}(id)) > 0
  else
    task.runs = select(2, @{edges.waiting}(id)) > 0
  end
  local more = table.remove(ids, limit + 1) ~= nil
  return ids, more, limit
end

=== deferred.is_unchecked
function @{deferred.is_unchecked}(task)
  local since, place = string.match(task.extra[4] or '', '^(%S+) (.*)$')
  place = since == task.since and place or nil
  task.json = place == 'yes'
  return not (task.json or place == 'no'), place
end

=== deferred.propagate
function @{deferred.propagate}(id, most)
  @{namespace.probe}('ZCARD', @{edges.deferred}())
  local task = @{deferred.find}(id)
  local from, graph = task.extra[1], task.graph
  if from == 'join' then
    return @{deferred.join}(task)
  elseif from and not @{edges.is_over}(task.status) then
    return @{deferred.look}(task, from)
  end
  local ids, more, limit = @{deferred.untold}(task, most)
  if ids[1] and #task.result > 131072 then
    local unchecked, place = @{deferred.is_unchecked}(task)
    if unchecked then
      return @{deferred.check}(task, place)
    end
  end
  local queued = @{queued_round.has}(task) and @{contract.is_final}(task.status)
  if queued and not (ids[1] or from) then
    @{next_round.begin}(id)
    return 1
  elseif graph and ids[1] and @{graphs.is_rerun}(graph, id) then
    return @{deferred.go_on}(graph, limit)
  elseif ids[1] or not from then
    return @{deferred.notify}(task, ids, not (more or from or queued))
  elseif graph and not @{graphs.is_released}(graph) then
    return @{deferred.go_on}(graph, limit)
  end
  return @{deferred.cascade}(task, from, limit)
end

=== deferred.run
function @{deferred.run}(limit)
  local late_ones = @{overdue.plan}(limit)
  if late_ones then
    @{namespace.begin}()
    @{overdue.run}(late_ones)
    return { #late_ones.ids, 1 }
  end
  local watched = @{watching.plan}(limit)
  if watched then
    @{namespace.begin}()
    @{watching.run}(watched)
    return { #watched.members, 1 }
  end
  local waiting = redis.call('ZRANGE', @{edges.deferred}(), 0, 0)
  local due = redis.call('ZRANGEBYSCORE', @{graphs.due}(), '-inf', @{namespace.now}, 'LIMIT', 0, 10)
  for _, id in ipairs(due) do
    if not @{graphs.is_created}(id) then
      local number, more = @{deferred.go_on}(id, limit)
      return { number, (more or due[2] or waiting[1]) and 1 or 0 }
    end
  end
  if waiting[1] then
    local number, more = @{deferred.propagate}(waiting[1], limit)
    return { number, (more or due[1] or redis.call('ZCARD', @{edges.deferred}()) > 0) and 1 or 0 }
  elseif not due[1] then
    return { 0, 0 }
  end
  local number, more = @{deferred.go_on}(due[1], limit)
  return { number, (more or due[2]) and 1 or 0 }
end

=== deleting.plan
function @{deleting.plan}(task, spec)
  if @{record.held}(task) or not (spec.waiting or @{contract.is_final}(task.status)) then
    return @{actions.refuse}(task, spec.waiting and 'waiting, scheduled, pending, held, complete, failed or cancelled' or 'complete, failed or cancelled')
  elseif @{edges.is_needed}(task) then
    return 'STATE', 'tasks that wait for this one do not have its result yet: a worker gives it to them soon'
  end
  @{actions.plan}(task, 'deleted', spec)
end

=== deleting.delete
function @{deleting.delete}(task, spec)
  @{state.move}(task, 'deleted', spec.waiting and 'purge' or 'delete', '')
end

=== edge_end.open
function @{edge_end.open}(id, flags)
  local key = @{edges.upstreams}(id)
  local open = redis.call('HLEN', key)
  if flags and string.find(flags, 'k', 1, true) then
    return @{at_least.open}(id, open)
  end
  return open, redis.call('HSCAN', key, '0', 'COUNT', 1)[2][1]
end

=== edge_end.holding
function @{edge_end.holding}(id)
  for i, edge in ipairs(@{edges.read}(id, 100)) do
    if i <= 100 and edge.kind ~= 'some' and redis.call('ZSCORE', @{edges.dependents}(edge.id), id) == 'inf'
      and @{contract.is_final}(redis.call('HGET', @{namespace.key}('task', edge.id), 'status')) then
      return edge.id
    end
  end
end

=== edge_end.plan_end
function @{edge_end.plan_end}(task, to)
  local key = @{namespace.declare}(@{edges.dependents}(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, 100 + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > 100 or @{edge_end.is_much}(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and @{graphs.is_rerun}(task.graph, task.id) then
    @{namespace.probe}('ZCARD', @{edges.deferred}())
    task.deferred = true
    return
  end
  @{edge_end.plan_page}(task, to, ids)
end

=== edge_end.is_much
function @{edge_end.is_much}(id, ids, length)
  local told = @{namespace.shared}('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= 131072 and looked <= 262144 and copied <= 1048576 then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', @{namespace.declare}(@{edges.upstreams}(other)), id) or '', '/', 1, true) then
      return true
    end
  end
  return false
end

=== edge_end.untold
function @{edge_end.untold}(id, to, limit)
  local most = (to == 'failed' or to == 'cancelled') and '(inf' or 'inf'
  return redis.call('ZRANGEBYSCORE', @{namespace.declare}(@{edges.dependents}(id)), '(0', most, 'LIMIT', 0, limit)
end

=== edge_end.plan_removal
function @{edge_end.plan_removal}(task)
  local dependents = @{namespace.declare}(@{edges.dependents}(task.id))
  task.edge_keys = { @{namespace.declare}(@{edges.upstreams}(task.id)), @{namespace.declare}(@{edges.inputs}(task.id)),
    @{namespace.declare}(@{fan_in.key}(task.id)) }
  local all, waiting = @{edges.waiting}(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and @{contract.is_final}(task.status) then
    @{namespace.probe}('ZCARD', @{edges.deferred}())
    task.deferred = true
  end
end

=== edge_end.plan_cascade
function @{edge_end.plan_cascade}(task)
  local known = task.broken and 1 or 0
  local upstreams = @{namespace.declare}(@{edges.upstreams}(task.id))
  if @{graphs.on_failure}(task.graph) == 'cancel' and redis.call('HLEN', upstreams) > known then
    @{namespace.probe}('ZCARD', @{edges.deferred}())
    task.deferred, task.cascades = true, true
  end
end

=== edge_end.plan_page
function @{edge_end.plan_page}(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = @{edge_end.plan_one}(task, to, id)
  end
end

=== edge_end.plan_one
function @{edge_end.plan_one}(up, to, id)
  local task = @{record.find}(id, @{edges.fields}())
  local key = @{namespace.declare}(@{edges.upstreams}(id))
  local kind, mark, slots = @{edges.parse}(redis.call('HGET', key, up.id))
  local plan = { id = id, met = not kind or @{edges.is_met}(kind, to, up.flags, task and task.queue) }
  local is_skipped = @{graphs.outcome}(to, up.flags) == 'skipped'
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and @{contract.is_final}(task.status)
    plan.staged = not task and kind and redis.call('HGET', @{namespace.key}('task', id), 'graph')
    if plan.staged then
      up.awaited = true
      @{namespace.probe}('ZCARD', @{edges.deferred}())
      @{namespace.declare}(@{graphs.outside}(plan.staged))
    end
    return plan
  end
  if @{at_least.has}(task) then
    plan.set = @{at_least.read}(id)
  end
  if kind == 'some' then
    @{at_least.plan_end}(plan, task, up, to, mark, slots)
    if plan.missed then
      return plan
    end
  elseif not plan.met and not is_skipped and @{edges.is_repairable}(kind, to)
    and @{graphs.on_failure}(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true
  if not plan.met then
    plan.skips = is_skipped or kind == 'failure'
    task.flags = (task.flags or '') .. (plan.skips and 'x' or '')
    plan.to, task.group, task.broken = plan.skips and 'cancelled' or 'failed', 'upstream', true
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = @{at_least.is_ready}(plan.set, open - 1)
  end
  @{namespace.declare}(@{edges.inputs}(id))
  local number, bytes
  if plan.last or slots ~= '' then
    number, bytes = @{edges.input_size}(id)
  end
  if slots ~= '' and not plan.ready then
    @{edge_end.plan_input}(plan, up, to, slots, bytes)
  end
  if plan.last and not plan.wrong then
    @{edge_end.plan_ready}(plan, number or 0, plan.bytes or bytes)
  end
  return plan
end

=== edge_end.plan_ready
function @{edge_end.plan_ready}(plan, slots, bytes)
  local task = plan.task
  plan.joins = @{fan_in.is_long}(plan.id, slots, bytes)
  if plan.joins then
    return
  end
  local eta, front, ended, retry_eta = unpack(task.extra, 1, 4)
  plan.to = tonumber(eta or 0) * 1000000 > @{namespace.now_us} and 'scheduled' or 'pending'
  task.eta = eta
  if plan.to == 'pending' then
    task.front, task.turn = front and true, front and tonumber(ended)
    task.forget = retry_eta and { 'eta', 'retry_eta' } or nil
  end
  if slots > 0 then
    plan.joined, plan.lengths = @{fan_in.list}(@{fan_in.collect}(@{edges.inputs}(plan.id), slots, plan), slots)
  end
end

=== edge_end.plan_input
function @{edge_end.plan_input}(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = @{edges.slots}(slots), @{edges.element}(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or @{json.decodes}(result)
  end
  local over = @{edges.over}(plan.task.queue, plan.bytes)
  if not up.json then
    plan.wrong = 'is not JSON'
  elseif over then
    plan.wrong = 'brings the inputs of this task ' .. over
  elseif @{graphs.counted}(#plan.text) > 0 and plan.task.extra[5] then
    plan.graph, plan.grows = plan.task.extra[5], #plan.text * #plan.slots
    if not @{graphs.has_room}(plan.graph, plan.grows) then
      plan.wrong = 'brings the inputs of its graph over ' .. @{graphs.most}() .. ' bytes, the setting graph_bytes'
    end
  end
  if plan.wrong then
    plan.to, plan.task.group, plan.task.broken = 'failed', 'input', true
  end
end

=== edge_end.propagate
function @{edge_end.propagate}(task)
  if task.deferred then
    redis.call('ZADD', @{edges.deferred}(), @{namespace.now}, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or @{namespace.key}('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', @{edges.dependents}(task.id), '-' .. @{namespace.now}, plan.id)
    elseif plan.staged then
      @{edge_end.postpone}(task, plan)
    elseif plan.held then
      redis.call('ZADD', @{edges.dependents}(task.id), 'inf', plan.id)
    elseif plan.missed then
      @{at_least.miss}(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or @{namespace.key}('task', task.id), 'status', 'error', 'cause')
      @{edge_end.fail_with}(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', @{edges.dependents}(task.id), '-' .. @{namespace.now}, plan.id)
      plan.why, plan.fields = 'input', { 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong }
    else
      @{edge_end.meet}(task, plan)
    end
  end
end

=== edge_end.postpone
function @{edge_end.postpone}(up, plan)
  if not up.is_settled then
    redis.call('ZADD', @{edges.deferred}(), @{namespace.now}, up.id)
    return
  end
  redis.call('ZADD', @{edges.dependents}(up.id), '-inf', plan.id)
  redis.call('RPUSH', @{graphs.outside}(plan.staged), up.id .. ' ' .. plan.id)
end

=== edge_end.fail_with
function @{edge_end.fail_with}(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', @{edges.dependents}(up.id), '-' .. @{namespace.now}, plan.id)
  if plan.skips then
    plan.why, plan.fields = 'upstream', { 'cause', cause, 'flags', plan.task.flags,
      'reason', 'not needed: ' .. up.id .. (told[1] == 'complete' and ' is complete' or ' was skipped') }
    return
  end
  plan.why, plan.fields = 'upstream', { 'cause', cause, 'group', 'upstream',
    'error', (plan.short and 'too few of its set can still be complete: ' or '') .. @{edge_end.error_of}(up.id, told) }
end

=== edge_end.error_of
function @{edge_end.error_of}(id, told)
  local status = told[1] or 'deleted'
  local text = id .. (status == 'failed' and ' failed' or ' was ' .. status)
  if told[3] then
    return told[2] or text
  elseif told[2] and told[2] ~= '' then
    return text .. ': ' .. string.sub(told[2], 1, 256)
  end
  return text
end

=== edge_end.meet
function @{edge_end.meet}(up, plan)
  if up then
    redis.call('ZREM', @{edges.dependents}(up.id), plan.id)
    redis.call('HDEL', @{edges.upstreams}(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', @{graphs.key}(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    @{at_least.drop}(plan.id)
  elseif plan.set and not plan.joins then
    @{at_least.write}(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', @{edges.inputs}(plan.id))
    plan.why = 'ready'
    plan.fields = { 'readied', @{record.time}(plan.task), 'parameters', plan.joined, 'slots', plan.lengths }
  elseif plan.to then
    plan.why, plan.fields = 'ready', { 'readied', @{record.time}(plan.task) }
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', @{edges.inputs}(plan.id), slot, plan.text)
    end
    redis.call('HSET', @{edges.inputs}(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    @{fan_in.begin}(plan.id)
  end
end

=== edge_inputs.parse
function @{edge_inputs.parse}(text, what, partial, known, start)
  local alone, only = string.match(text, '^(%l+)=([^= ]+)$')
  if (alone == 'success' or alone == 'after' or alone == 'failure' or alone == 'some')
    and (known and known[only] or #only <= 128
    and string.find(only, '^[%w._:@-]+$', start and string.sub(only, 1, #start) == start and #start + 1 or 1)) then
    return { upstreams = { { id = only, kind = alone, slots = {} } }, values = {}, slots = 0, text = text,
      some = alone == 'some' and 1 or 0 }
  end
  local found = { upstreams = nil, values = {}, slots = 0, text = text, some = 0, least = nil }
  local number, ups, by_id, taken, highest, from = 0, nil, nil, nil, -1, 1
  repeat
    local till, at = string.find(text, ' ', from, true) or #text + 1, string.find(text, '=', from, true)
    local kind, rest, slot = string.sub(text, from, (at or 0) - 1), string.sub(text, (at or 0) + 1, till - 1), nil
    local least
    if kind ~= 'success' and kind ~= 'after' and kind ~= 'failure' and kind ~= 'some' then
      kind, slot = string.match(kind, '^(%l+)/(%d%d?%d?%d?)$')
    end
    if not at or at > till then
      least = not found.least and string.match(string.sub(text, from, till - 1), '^least/(%d%d?%d?%d?%d?)$')
      slot, kind = nil, least and 'least'
    end
    if not kind or not least and (rest == '' or slot and kind ~= 'result' and kind ~= 'value' and kind ~= 'some'
      and kind ~= 'optional') then
      @{reply.fail}('BADARG', what .. ' must be entries like success=ID, after=ID, failure=ID, some=ID, least/NUMBER,'
        .. ' result/SLOT=ID, optional/SLOT=ID and value/SLOT=BYTES, separated by spaces')
    end
    if slot then
      slot = tonumber(slot)
      taken = taken or {}
      if taken[slot] then
        @{reply.fail}('BADARG', what .. ' must give each slot once')
      end
      taken[slot], highest, found.slots = true, math.max(highest, slot), found.slots + 1
    end
    if least then
      found.least = @{args.integer}(least, 1, 10000, what)
    elseif kind == 'value' then
      found.values[#found.values + 1] = { slot, @{args.integer}(rest, 0, 1048576, what) }
    else
      if not (known and known[rest]) then
        local begin = start and string.sub(rest, 1, #start) == start and #start + 1 or 1
        if #rest > 128 or not string.find(rest, '^[%w._:@-]+$', begin) then
          @{args.plain}(rest, what)
        end
      end
      by_id = by_id or ups and { [ups[1].id] = ups[1] }
      local up = by_id and by_id[rest]
      if up and not (slot and up.kind == kind and up.slots[1]) then
        @{reply.fail}('BADARG', what .. ' must name each upstream once, or several times for its result')
      elseif up then
        up.slots[#up.slots + 1] = slot
      else
        up, number = { id = rest, kind = kind, slots = slot and { slot } or {} }, number + 1
        if kind == 'some' then
          found.some = found.some + 1
        end
        if ups then
          ups[number], by_id[rest] = up, up
        else
          ups = { up }
        end
      end
    end
    from = till + 1
  until till > #text
  found.upstreams = ups or {}
  if found.values[1] then
    found.text = string.sub(string.gsub(' ' .. text, ' value/%d+=%d+', ''), 2)
  end
  if partial then
    found.slots = highest + 1
  end
  @{edge_inputs.check}(found, what, partial, number, highest)
  return found
end

=== edge_inputs.check
function @{edge_inputs.check}(found, what, partial, number, highest)
  if highest + 1 ~= found.slots then
    @{reply.fail}('BADARG', what .. ' must give the slots from 0 on without a gap')
  elseif number == 0 and not (partial and found.least) or number + #found.values > 1000 then
    @{reply.fail}('BADARG', what .. ' must name 1 to ' .. 1000 .. ' upstreams and values')
  elseif not partial and (found.least or 0) > found.some then
    @{reply.fail}('BADARG', what .. ' must have as many upstreams with some as least/NUMBER says, or more')
  end
end

=== edge_inputs.page
function @{edge_inputs.page}(inputs, from, limit)
  local found = {}
  while #found < limit do
    local _, last, kind, slot, id = string.find(inputs, '(%l+)/?(%d*)=(%S+)', from)
    if not last then
      return found
    end
    found[#found + 1] = { kind = kind, slot = slot, id = id }
    from = last + 1
  end
  return found, from <= #inputs and from or nil
end

=== edge_inputs.submitted
function @{edge_inputs.submitted}(inputs)
  local order, texts = {}, {}
  for kind, slot, id in string.gmatch(inputs or '', '(%l+)/?(%d*)=(%S+)') do
    local known = texts[id]
    if not known then
      order[#order + 1], texts[id] = id, kind .. (slot ~= '' and '/' .. slot or '')
    else
      local had, slots = string.match(known, '^(%l+)(.*)$')
      had = (kind == 'some' or slot ~= '' and had ~= 'some') and kind or had
      texts[id] = had .. slots .. (slot ~= '' and (slots ~= '' and ',' or '/') .. slot or '')
    end
  end
  return order, texts
end

=== edge_rerun.marks
function @{edge_rerun.marks}(chosen, ids)
  local found = {}
  for from = 1, #ids, 1000 do
    local page = { unpack(ids, from, math.min(#ids, from + 999)) }
    for i, mark in ipairs(redis.call('ZMSCORE', chosen, unpack(page))) do
      found[page[i]] = mark
    end
  end
  return found
end

=== edge_rerun.plan
function @{edge_rerun.plan}(task, spec)
  local key, own = @{namespace.declare}(@{edges.upstreams}(task.id)), @{namespace.declare}(@{edges.inputs}(task.id))
  if task.prepared or task.first and redis.call('HLEN', key) > 300 then
    @{namespace.probe}('ZCARD', @{edges.deferred}())
    task.again_edges = { to = 'waiting', later = true }
    return
  end
  local v = redis.call('HMGET', task.key, 'inputs', 'slots')
  local order, texts = @{edge_inputs.submitted}((not task.first or @{at_least.has}(task)) and v[1])
  spec.entries = (spec.entries or 0) + 15 * #order
  local marks = @{edge_rerun.marks}(spec.chosen, order)
  local again = { open = {}, texts = texts, ended = {}, still = {}, forget = {}, kept = {} }
  if @{at_least.has}(task) then
    @{at_least.plan_rerun}(task, again, v[1], order, marks)
  end
  for _, id in ipairs(order) do
    if marks[id] then
      again.open[#again.open + 1], spec.awaited[id] = id, true
      @{namespace.probe}('ZCARD', @{edges.dependents}(id))
      local up = @{record.find}(id)
      if not spec.begins[id] and @{edges.note_ended}(again, id) then
        up = nil
      end
      if up and not string.find(up.flags or '', 'd', 1, true) then
        again.still[#again.still + 1] = up
      end
      @{edges.forget}(again, id)
    end
  end
  for _, edge in ipairs(@{edges.read}(task.id)) do
    again.waits = true
    if not marks[edge.id] then
      @{namespace.probe}('ZCARD', @{edges.dependents}(edge.id))
      if not @{edges.note_ended}(again, edge.id) and @{contract.is_final}(task.status) then
        again.still[#again.still + 1] = @{record.find}(edge.id)
      end
    end
  end
  @{namespace.probe}('ZCARD', @{edges.deferred}())
  again.graph, again.frees = spec.graph, 0
  again.slots, again.bytes = @{edges.input_size}(task.id)
  if again.slots then
    for slot in pairs(again.forget) do
      local length = redis.call('HSTRLEN', own, slot)
      again.bytes, again.frees = again.bytes - length, again.frees + @{graphs.counted}(length)
    end
  elseif v[2] and again.open[1] then
    @{edge_rerun.split}(again, redis.call('HGET', task.key, 'parameters') or '', v[2])
  end
  local waits = again.open[1] or again.waits
  again.joins = not waits and again.slots and @{fan_in.is_long}(task.id, again.slots, again.bytes)
  task.again_edges, again.to = again, (waits or again.joins) and 'waiting' or 'pending'
end

=== edge_rerun.split
function @{edge_rerun.split}(again, joined, lengths)
  local at, slot = 2, 0
  again.split, again.bytes = true, 0
  for length in string.gmatch(lengths, '%d+') do
    if not again.forget[slot] then
      again.kept[slot], again.bytes = string.sub(joined, at, at + length - 1), again.bytes + length
    else
      again.frees = again.frees + @{graphs.counted}(tonumber(length))
    end
    at, slot = at + length + 1, slot + 1
  end
  again.slots = slot
end

=== edge_rerun.run
function @{edge_rerun.run}(task)
  local again, own = task.again_edges, @{edges.inputs}(task.id)
  if again.later then
    return @{edge_retry.look_later}(task)
  end
  for _, id in ipairs(again.open) do
    redis.call('HSET', @{edges.upstreams}(task.id), id, again.texts[id])
    redis.call('ZADD', @{edges.dependents}(id), @{edges.since}(task.id), task.id)
  end
  for _, up in ipairs(again.still) do
    @{edges.enter}(up, task.id)
  end
  @{edges.ask_again}(task, again.ended)
  if again.frees > 0 then
    redis.call('HINCRBY', @{graphs.key}(again.graph), 'bytes', -again.frees)
  end
  if again.set then
    @{at_least.write}(task.id, again.set)
  end
  if again.split then
    redis.call('HSET', own, 'slots', again.slots, 'bytes', again.bytes)
    redis.call('HSET', task.key, 'parameters', '')
    redis.call('HDEL', task.key, 'slots')
    for slot, text in pairs(again.kept) do
      redis.call('HSET', own, slot, text)
    end
  elseif again.slots then
    redis.call('HSET', own, 'bytes', again.bytes)
    for slot in pairs(again.forget) do
      redis.call('HDEL', own, slot)
    end
  end
  if again.joins then
    @{fan_in.begin}(task.id)
  end
end

=== edge_retry.plan_retry
function @{edge_retry.plan_retry}(task, spec)
  local key, own = @{namespace.declare}(@{edges.upstreams}(task.id)), @{namespace.declare}(@{edges.inputs}(task.id))
  if redis.call('HLEN', key) > 300 then
    @{namespace.probe}('ZCARD', @{edges.deferred}())
    task.again_edges = { to = 'waiting', later = true }
    return
  end
  local slots, bytes = @{edges.input_size}(task.id)
  local again = { met = {}, open = {}, slots = slots or 0, bytes = bytes, texts = {}, some = {}, asked = {},
    set = @{at_least.has}(task) and @{at_least.new}(@{at_least.read}(task.id).least) or nil }
  local found = @{edges.read}(task.id)
  spec.entries = (spec.entries or 0) + 30 * #found
  for _, edge in ipairs(found) do
    local code, text = @{edge_retry.plan_edge}(task, again, edge, spec.begun and spec.begun[edge.id])
    if code then
      return code, text
    end
  end
  local over = @{edges.over}(task.queue, again.bytes)
  if over then
    return 'UPSTREAM', 'the results of its upstreams are ' .. over
  end
  if again.set and again.set.least > @{at_least.chances}(again.set) then
    return 'UPSTREAM', 'too few of its set can still be complete: retry those that failed first'
  end
  local waits = again.open[1] or again.set and again.set.least > 0
  again.joins = not waits and @{fan_in.is_long}(task.id, again.slots, again.bytes)
  task.again_edges, again.to = again, (waits or again.joins) and 'waiting' or 'pending'
  if again.to == 'pending' and again.slots > 0 then
    again.joined, again.lengths = @{fan_in.list}(@{fan_in.collect}(own, again.slots, { filled = again.texts }), again.slots)
  end
end

=== edge_retry.plan_edge
function @{edge_retry.plan_edge}(task, again, edge, begun)
  local id, kind, slots = edge.id, edge.kind, edge.slots
  local up = @{graphs.upstream}(id)
  local over, is_met = not begun and @{edges.is_over}(up.status), @{edges.is_met}(kind, up.status, up.flags, task.queue)
  if over and is_met and slots ~= '' and up.key and not @{fan_in.may_read}(redis.call('HSTRLEN', up.key, 'result')) then
    over, again.asked[#again.asked + 1] = false, id
    @{namespace.probe}('ZCARD', @{edges.deferred}())
  end
  if kind == 'some' then
    over = @{at_least.plan_retry}(again, id, up, slots, over)
  elseif over and not is_met then
    return 'UPSTREAM', 'a task that it waits for is ' .. up.status .. ': retry that one first'
  end
  @{namespace.probe}('ZCARD', @{edges.dependents}(id))
  if not over then
    again.open[#again.open + 1] = kind ~= 'some' and up or nil
    return
  end
  again.met[#again.met + 1] = id
  if slots ~= '' then
    local result = @{edges.result_of}(up)
    if not @{json.decodes}(result) then
      return 'UPSTREAM', 'the result of an upstream is not JSON: retry that one first'
    end
    for _, slot in ipairs(@{edges.slots}(slots)) do
      again.texts[slot], again.bytes = result, again.bytes + #result
    end
  end
end

=== edge_retry.look_later
function @{edge_retry.look_later}(task)
  redis.call('HSET', task.key, 'cascade', '0')
  redis.call('ZADD', @{edges.deferred}(), @{namespace.now}, task.id)
  if @{at_least.has}(task) then
    @{at_least.begin_count}(task.id)
  end
end

=== edge_retry.retry
function @{edge_retry.retry}(task)
  local again = task.again_edges
  if again.later then
    return @{edge_retry.look_later}(task)
  end
  for _, id in ipairs(again.met) do
    redis.call('ZREM', @{edges.dependents}(id), task.id)
    redis.call('HDEL', @{edges.upstreams}(task.id), id)
  end
  for _, up in ipairs(again.open) do
    @{edges.enter}(up, task.id)
  end
  if again.set and not again.joins then
    @{at_least.retry}(task, again)
  end
  if again.joined then
    redis.call('UNLINK', @{edges.inputs}(task.id))
    redis.call('HSET', task.key, 'parameters', again.joined, 'slots', again.lengths)
  elseif next(again.texts) then
    for slot, text in pairs(again.texts) do
      redis.call('HSET', @{edges.inputs}(task.id), slot, text)
    end
    redis.call('HSET', @{edges.inputs}(task.id), 'bytes', again.bytes)
  end
  if again.joins then
    @{fan_in.begin}(task.id)
  end
  @{edges.ask_again}(task, again.asked)
end

=== edge_retry.plan_look
function @{edge_retry.plan_look}(task, from)
  local found, after = {}, '0'
  if task.status == 'waiting' then
    found, after = @{edges.read}(task.id, 300, string.match(from, '^%d+'))
  end
  local step = { after = after ~= '0' and after, open = {}, ended = {} }
  for _, edge in ipairs(found) do
    local up = @{record.find}(edge.id)
    @{namespace.probe}('ZCARD', @{edges.dependents}(edge.id))
    if up and not @{contract.is_final}(up.status) then
      step.open[#step.open + 1] = up
    else
      step.ended[#step.ended + 1] = edge.id
    end
  end
  return step
end

=== edge_retry.look_again
function @{edge_retry.look_again}(task, step)
  for _, up in ipairs(step.open) do
    @{edges.enter}(up, task.id)
  end
  @{edges.ask_again}(task, step.ended)
  @{edges.keep_place}(task, step.after)
end

=== edge_submit.among
function @{edge_submit.among}(task, ups)
  local ids = {}
  for i = 1, #ups do
    ids[i] = ups[i].id
  end
  return ids[1] and redis.call('HMGET', @{edges.upstreams}(task.id), unpack(ids))
end

=== edge_submit.look
function @{edge_submit.look}(task, wanted, find, had)
  task.edges = {}
  if wanted.slots > 0 or task.continues then
    task.filled, task.slots, task.bytes = {}, wanted.slots, 0
  end
  if wanted.some > 0 or wanted.least then
    local set = task.continues and @{at_least.has}(task) and @{at_least.read}(task.id)
    task.set = @{at_least.begin}({ set = set, text = had }, wanted)
  end
  @{edge_submit.take_values}(task, wanted)
  local get, before, fresh = find or @{record.find}, task.continues and @{edge_submit.among}(task, wanted.upstreams), {}
  local look_at = @{edge_submit.look_at}
  for i = 1, #wanted.upstreams do
    local wish = wanted.upstreams[i]
    look_at(task, wish, get(wish.id), before and before[i], fresh)
  end
  if fresh[1] then
    @{edge_submit.probe_all}(fresh)
  end
  if task.continues then
    @{edge_submit.add_known}(task)
  end
  if task.slots then
    @{edge_submit.require_room}(task)
  end
  if @{namespace.declared} then
    @{namespace.declare}(@{edges.upstreams}(task.id))
    @{namespace.declare}(@{edges.inputs}(task.id))
  end
  if task.set then
    @{at_least.require}(task, wanted, find)
  end
  if wanted.slots > 0 then
    task.joins = not (find or task.edges[1]) and @{fan_in.is_long}(task.id, wanted.slots, task.bytes)
    task.parameters = (find or task.edges[1] or task.joins) and '' or (@{fan_in.list}(task.filled, wanted.slots))
  end
end

=== edge_submit.take_values
function @{edge_submit.take_values}(task, wanted)
  local at = 1
  for i = 1, #wanted.values do
    local slot, length = unpack(wanted.values[i])
    local text = string.sub(task.parameters, at, at + length - 1)
    if #text < length or not @{json.decodes}(text) then
      @{reply.fail}('BADARG', 'the value of slot ' .. slot .. ' must be JSON, as long as the inputs say')
    end
    task.filled[slot], at, task.bytes = text, at + length, task.bytes + length
  end
  if wanted.slots > 0 and at <= #task.parameters then
    @{reply.fail}('BADARG', 'the parameters must be the values of the inputs, nothing else')
  end
end

=== edge_submit.look_at
function @{edge_submit.look_at}(task, wish, up, earlier, fresh)
  if wish.id == task.id then
    @{reply.fail}('BADARG', 'a task cannot wait for itself')
  elseif not up or up.queue == '' then
    @{edge_submit.refuse_missing}(task, wish)
  elseif earlier and @{edge_submit.differ}(wish.kind, string.match(earlier, '^%l+')) then
    @{reply.fail}('BADARG', @{edge_submit.place}(task, wish) .. 'an earlier call has it wait for ' .. wish.id
      .. ' in another way: say the same each time')
  end
  local named, edge = wish.kind == 'some' and task.set.named[wish.id], nil
  if (up.status == 'staged' or not @{contract.is_final}(up.status)) and (earlier or not named) then
    if not earlier and task.waited_for ~= 0 then
      @{edge_submit.require_free}(task)
    end
    if up.spec and not up.flagged then
      up.flags, up.flagged = up.flags .. 'd', true
    end
    edge = { up = up, kind = wish.kind, slots = wish.slots, known = earlier }
    if not up.probed then
      fresh[#fresh + 1], up.probed = @{namespace.prefix} .. 'dependents_' .. up.id, true
    end
  elseif not (named and earlier) then
    if earlier then
      wish = @{edge_submit.added_slots}(wish, earlier)
    end
    edge = @{edge_submit.look_at_ended}(task, wish, up, named)
  end
  if edge and earlier then
    @{edge_submit.add_slots}(edge.slots, earlier)
    edge.known = earlier
  end
  task.edges[#task.edges + 1] = edge
end

=== edge_submit.add_known
function @{edge_submit.add_known}(task)
  local slots, bytes = @{edges.input_size}(task.id)
  task.had, task.slots, task.bytes = bytes, math.max(task.slots, slots or 0), task.bytes + bytes
  for slot in pairs(task.filled) do
    task.bytes = task.bytes - #(redis.call('HGET', @{edges.inputs}(task.id), slot) or '')
  end
end

=== edge_submit.add_slots
function @{edge_submit.add_slots}(slots, edge)
  local own = ',' .. table.concat(slots, ',') .. ','
  for _, slot in ipairs(@{edges.slots}(string.match(edge, '/(.*)$'))) do
    if not string.find(own, ',' .. slot .. ',', 1, true) then
      slots[#slots + 1] = slot
    end
  end
end

=== edge_submit.added_slots
function @{edge_submit.added_slots}(wish, edge)
  local known, slots = ',' .. (string.match(edge, '/(.*)$') or '') .. ',', {}
  for _, slot in ipairs(wish.slots) do
    if not string.find(known, ',' .. slot .. ',', 1, true) then
      slots[#slots + 1] = slot
    end
  end
  return { id = wish.id, kind = wish.kind, slots = slots, said = wish.slots }
end

=== edge_submit.differ
function @{edge_submit.differ}(kind, other)
  return kind ~= other and (kind == 'some' or other == 'some' or kind == 'optional' or other == 'optional')
end

=== edge_submit.probe_all
function @{edge_submit.probe_all}(keys)
  for i = 1, #keys do
    if @{namespace.declared} then
      @{namespace.declare}(keys[i])
    end
  end
  if redis.call('EXISTS', unpack(keys)) > 0 then
    for i = 1, #keys do
      redis.call('ZCARD', keys[i])
    end
  end
end

=== edge_submit.place
function @{edge_submit.place}(task, wish)
  local fields = { success = 'needs', after = 'after', failure = 'after_failure', some = 'at_least' }
  local slot = (wish.said or wish.slots)[1]
  local field = slot and 'args[' .. slot .. ']' or fields[wish.kind]
  return 'task ' .. task.id .. (task.label and ' "' .. task.label .. '"' or '') .. ', ' .. field .. ': '
end

=== edge_submit.refuse_missing
function @{edge_submit.refuse_missing}(task, wish)
  @{namespace.check_slot}(@{namespace.key}('task', wish.id))
  @{reply.fail}('NOTASK', @{edge_submit.place}(task, wish) .. 'no task has the id ' .. wish.id
    .. ': it was never submitted, or was deleted, or removed by retention')
end

=== edge_submit.look_at_ended
function @{edge_submit.look_at_ended}(task, wish, up, named)
  local length = wish.slots[1] and up.status == 'complete' and redis.call('HSTRLEN', up.key, 'result')
  if length and not @{fan_in.may_read}(length) then
    if task.continues and redis.call('HEXISTS', @{edges.inputs}(task.id), wish.slots[1]) == 1 then
      return
    end
    @{namespace.probe}('ZCARD', @{edges.dependents}(up.id))
    @{namespace.probe}('ZCARD', @{edges.deferred}())
    return { up = up, kind = wish.kind, slots = wish.slots, asks = true }
  elseif wish.kind == 'some' and not @{at_least.look_at_ended}(task, wish, up, named) then
    return
  elseif not @{edges.is_met}(wish.kind, up.status, up.flags, task.queue) then
    @{reply.fail}('UPSTREAM', @{edge_submit.place}(task, wish) .. wish.id .. ' is ' .. @{graphs.outcome}(up.status, up.flags)
      .. ', so this task would never run: retry that one first')
  elseif wish.slots[1] then
    local result = @{edges.result_of}(up)
    if not @{json.decodes}(result) then
      @{reply.fail}('UPSTREAM', @{edge_submit.place}(task, wish) .. 'the result of ' .. wish.id .. ' is not JSON')
    end
    for _, slot in ipairs(wish.slots) do
      task.filled[slot], task.bytes = result, task.bytes + #result
    end
  end
end

=== edge_submit.require_room
function @{edge_submit.require_room}(task)
  local over = @{edges.over}(task.queue, task.bytes)
  if over then
    @{reply.fail}('TOOBIG', 'the inputs of the task are ' .. over)
  end
end

=== edge_submit.require_free
function @{edge_submit.require_free}(task)
  task.waited_for = task.waited_for or @{edges.waiting}(task.id)
  if task.waited_for > 0 then
    @{reply.fail}('BADARG', 'tasks wait for one of this id already: give it another id, or let it wait for nothing')
  end
end

=== edge_submit.enter
function @{edge_submit.enter}(tasks, graph)
  local own, waits, number, prefix, now = {}, {}, 0, @{namespace.prefix}, @{namespace.now}
  local flag, since_of = @{edges.flag}, @{edges.since}
  for t = 1, #tasks do
    local task, n = tasks[t], 0
    for i = 1, task.edges and #task.edges or 0 do
      local edge = task.edges[i]
      local up = edge.up
      local outside = graph and up.status ~= 'staged'
      local kind = edge.missed and edge.kind .. task.set.turn or edge.kind
      local since = outside and '-inf' or edge.missed and 'inf' or since_of(task.id)
      own[n + 1], own[n + 2] = up.id, edge.slots[1] and kind .. '/' .. table.concat(edge.slots, ',') or kind
      n = n + 2
      local waiting = up.waiting
      if waiting then
        waiting[#waiting + 1], waiting[#waiting + 2] = since, task.id
      else
        number, up.waiting = number + 1, { since, task.id }
        waits[number] = up
      end
      if outside and not edge.known then
        redis.call('RPUSH', @{graphs.outside}(graph), up.id .. ' ' .. task.id)
      elseif edge.asks then
        redis.call('ZADD', @{edges.deferred}(), now, up.id)
      end
    end
    if n > 0 then
      redis.call('HSET', prefix .. 'upstreams_' .. task.id, unpack(own, 1, n))
    end
    if (task.slots or 0) > 0 then
      local known = { 'slots', task.slots, 'bytes', task.bytes }
      for slot, text in pairs(task.filled) do
        known[#known + 1], known[#known + 2] = slot, text
      end
      redis.call('HSET', @{edges.inputs}(task.id), unpack(known))
    end
    if task.set then
      @{at_least.write}(task.id, task.set)
    end
  end
  for i = 1, number do
    local up = waits[i]
    redis.call('ZADD', prefix .. 'dependents_' .. up.id, unpack(up.waiting))
    up.waiting = nil
    if not up.flagged then
      flag(up)
    end
  end
end

=== edges.upstreams
function @{edges.upstreams}(id)
  return @{namespace.prefix} .. 'upstreams_' .. id
end

=== edges.dependents
function @{edges.dependents}(id)
  return @{namespace.prefix} .. 'dependents_' .. id
end

=== edges.inputs
function @{edges.inputs}(id)
  return @{namespace.prefix} .. 'inputs_' .. id
end

=== edges.since
function @{edges.since}(id)
  local last = @{namespace.shared}('since')
  if id ~= last.id then
    last.id, last.nth = id, (last.nth or -1) + 1
  end
  return last.nth == 0 and @{namespace.now} or @{namespace.decimal}(@{namespace.now_us} + last.nth)
end

=== edges.deferred
function @{edges.deferred}()
  return @{namespace.prefix} .. 'deferred'
end

=== edges.parse
function @{edges.parse}(text)
  return string.match(text or '', '^(%l+)(%d*)/?(.*)$')
end

=== edges.read
function @{edges.read}(id, limit, cursor)
  local key = @{namespace.declare}(@{edges.upstreams}(id))
  local page = limit and redis.call('HSCAN', key, cursor or '0', 'COUNT', limit) or { '0', redis.call('HGETALL', key) }
  local found = {}
  for i = 1, #page[2], 2 do
    local kind, mark, slots = @{edges.parse}(page[2][i + 1])
    found[#found + 1] = { id = page[2][i], kind = kind, mark = mark, slots = slots }
  end
  return found, page[1]
end

=== edges.input_size
function @{edges.input_size}(id)
  local v = redis.call('HMGET', @{namespace.declare}(@{edges.inputs}(id)), 'slots', 'bytes')
  return tonumber(v[1] or nil), tonumber(v[2] or 0)
end

=== edges.enter
function @{edges.enter}(up, id)
  redis.call('ZADD', @{edges.dependents}(up.id), @{edges.since}(id), id)
  @{edges.flag}(up)
end

=== edges.is_over
function @{edges.is_over}(status)
  return not status or status == 'deleted' or @{contract.is_final}(status)
end

=== edges.slots
function @{edges.slots}(text)
  local slots = {}
  for slot in string.gmatch(text or '', '%d+') do
    slots[#slots + 1] = tonumber(slot)
  end
  return slots
end

=== edges.is_met
function @{edges.is_met}(kind, to, flags, queue)
  if kind == 'after' or kind == 'optional' then
    return true
  end
  if @{graphs.outcome}(to, flags) == 'skipped' then
    return kind == 'failure' and queue == '@links'
  end
  return (kind == 'failure') ~= (to == 'complete')
end

=== edges.is_repairable
function @{edges.is_repairable}(kind, to)
  return @{edges.needs_success}(kind) and (to == 'failed' or to == 'cancelled')
end

=== edges.needs_success
function @{edges.needs_success}(kind)
  return kind == 'success' or kind == 'result' or kind == 'some'
end

=== edges.wants
function @{edges.wants}(kind)
  return kind == 'optional' or @{edges.needs_success}(kind)
end

=== edges.result_of
function @{edges.result_of}(up)
  return @{edges.element}(up.status == 'complete' and redis.call('HGET', up.key, 'result') or '')
end

=== edges.element
function @{edges.element}(result)
  return result == '' and 'null' or result
end

=== edges.over
function @{edges.over}(queue, bytes)
  local most = bytes > 1024 and @{settings.get}(queue, 'input_bytes')
  if most and bytes > tonumber(most) then
    return 'over ' .. most .. ' bytes, the setting input_bytes'
  end
end

=== edges.flag
function @{edges.flag}(up)
  if not string.find(up.flags or '', 'd', 1, true) then
    up.flags = (up.flags or '') .. 'd'
    redis.call('HSET', up.key, 'flags', up.flags)
  end
end

=== edges.waiting
function @{edges.waiting}(id)
  local key = @{namespace.declare}(@{edges.dependents}(id))
  local waiting, staged = redis.call('ZCOUNT', key, '(0', '+inf'), redis.call('ZCOUNT', key, '-inf', '-inf')
  return waiting + staged, waiting
end

=== edges.is_needed
function @{edges.is_needed}(task)
  if task.status ~= 'complete' or not task.flags or not string.find(task.flags, 'd', 1, true) then
    return false
  end
  local all, waiting = @{edges.waiting}(task.id)
  return all > 0, waiting > 0
end

=== edges.fields
function @{edges.fields}()
  return 'eta', 'front', 'ended', 'retry_eta', 'graph'
end

=== edges.fill
function @{edges.fill}(id, slots)
  for _, slot in ipairs(slots) do
    redis.call('HSET', @{edges.inputs}(id), slot, 'null')
  end
  if slots[1] then
    redis.call('HINCRBY', @{edges.inputs}(id), 'bytes', 4 * #slots)
  end
end

=== edges.ask_again
function @{edges.ask_again}(task, ended)
  for _, id in ipairs(ended) do
    redis.call('ZADD', @{edges.dependents}(id), @{edges.since}(task.id), task.id)
    redis.call('ZADD', @{edges.deferred}(), @{namespace.now}, id)
  end
end

=== edges.keep_place
function @{edges.keep_place}(task, after)
  if after then
    redis.call('HSET', task.key, 'cascade', after)
  else
    redis.call('HDEL', task.key, 'cascade')
  end
end

=== edges.note_ended
function @{edges.note_ended}(again, id)
  local status = redis.call('HGET', @{namespace.key}('task', id), 'status')
  local ended = @{edges.is_over}(status)
  again.ended[#again.ended + 1] = ended and id or nil
  return ended
end

=== edges.forget
function @{edges.forget}(again, id)
  for _, slot in ipairs(@{edges.slots}(string.match(again.texts[id], '/(.*)$'))) do
    again.forget[slot] = true
  end
end

=== edit_edges.parse
function @{edit_edges.parse}(text, what)
  local found = @{edge_inputs.parse}(text, what, true)
  if #found.values > 0 then
    @{reply.fail}('BADARG', what .. ' must not have values: those are given at submit')
  end
  return found
end

=== edit_edges.require_released
function @{edit_edges.require_released}(id)
  local graph, status = unpack(redis.call('HMGET', @{namespace.key}('task', id), 'graph', 'status'))
  if graph and not status and @{graphs.is_created}(graph) then
    @{reply.fail}('STATE', 'its graph has just been submitted and is being released: repeat the call in a moment')
  end
end

=== edit_edges.task
function @{edit_edges.task}(id)
  @{edit_edges.require_released}(id)
  local task = @{record.get}(id, @{edges.fields}())
  if not @{contract.is_waiting}(task.status) then
    @{record.refuse}(task.status, 'waiting, scheduled, pending or held')
  elseif task.status == 'held' then
    @{reply.fail}('STATE', 'the task is held: release it with unhold before its upstreams change')
  end
  @{namespace.declare}(@{edges.upstreams}(id))
  task.inputs = redis.call('HGET', task.key, 'inputs') or ''
  task.slots, task.bytes = @{edges.input_size}(id)
  task.slots, task.set = task.slots or 0, @{at_least.has}(task) and @{at_least.read}(id) or nil
  return task
end

=== edit_edges.text
function @{edit_edges.text}(task)
  return task.inputs .. (task.inputs ~= '' and task.text ~= '' and ' ' or '') .. task.text
end

=== edit_edges.entries
function @{edit_edges.entries}(wish)
  local entries = {}
  for i, slot in ipairs(wish.slots) do
    entries[i] = wish.kind .. '/' .. slot .. '=' .. wish.id
  end
  return entries[1] and entries or { wish.kind .. '=' .. wish.id }
end

=== edit_edges.has
function @{edit_edges.has}(task, entries)
  for _, entry in ipairs(entries) do
    if not string.find(' ' .. task.inputs .. ' ', ' ' .. entry .. ' ', 1, true) then
      return false
    end
  end
  return true
end

=== edit_edges.look
function @{edit_edges.look}(task, wanted, look_at)
  task.edges, task.filled = {}, {}
  local text, slots = {}, {}
  local sets = wanted.some > 0 or wanted.least
  if sets then
    task.set = @{at_least.begin}({ set = task.set, text = task.inputs }, wanted)
  end
  for _, wish in ipairs(wanted.upstreams) do
    local entries = @{edit_edges.entries}(wish)
    if wish.id == task.id then
      @{reply.fail}('BADARG', 'a task cannot wait for itself')
    elseif @{edit_edges.has}(task, entries) then
      if not wish.slots[1] and wish.kind ~= 'some' then
        look_at(task, wish, true)
      end
    else
      if sets and task.set.named[wish.id] then
        @{edit_edges.refuse_twice}()
      end
      look_at(task, wish)
      for _, entry in ipairs(entries) do
        text[#text + 1] = entry
      end
      for _, slot in ipairs(wish.slots) do
        slots[#slots + 1] = slot
      end
    end
  end
  @{edit_edges.check_slots}(task, slots)
  if sets then
    task.code, task.refusal = @{at_least.count}(task)
  end
  if wanted.least and wanted.least ~= @{at_least.wanted}(task.inputs) then
    task.inputs, text[#text + 1] = @{at_least.without}(task.inputs), 'least/' .. wanted.least
  end
  task.text = table.concat(text, ' ')
  if redis.call('HLEN', @{namespace.declare}(@{edges.upstreams}(task.id))) + #task.edges > 10000
    or #task.inputs + #task.text >= 1048576 then
    @{reply.fail}('TOOMANY', 'a task waits for ' .. 10000 .. ' others at most')
  end
  @{edge_submit.require_room}(task)
end

=== edit_edges.refuse_twice
function @{edit_edges.refuse_twice}()
  @{reply.fail}('BADARG', 'the task waits for one of these already, in another way: end that with undepend first')
end

=== edit_edges.look_at
function @{edit_edges.look_at}(task, wish, had)
  if redis.call('HEXISTS', @{namespace.declare}(@{edges.upstreams}(task.id)), wish.id) == 1 then
    return had or @{edit_edges.refuse_twice}()
  end
  @{edit_edges.require_released}(wish.id)
  local up = @{record.find}(wish.id)
  if had and (not up or @{contract.is_final}(up.status)) then
    return
  elseif not up or up.queue == '' then
    @{edge_submit.refuse_missing}(task, wish)
  end
  if not @{contract.is_final}(up.status) then
    @{edit_edges.add_open}(task, wish, up)
  else
    local left = @{edge_submit.look_at_ended}(task, wish, up)
    task.edges[#task.edges + 1] = left
  end
end

=== edit_edges.look_for_child
function @{edit_edges.look_for_child}(task, wish, had)
  local up = @{graphs.upstream}(wish.id)
  if not @{edges.is_over}(up.status) then
    @{edit_edges.add_open}(task, wish, up)
  elseif had and up.status == 'deleted' then
    return
  elseif wish.kind == 'some' then
    task.lacking = not @{at_least.look_at_ended}(task, wish, up) and up or task.lacking
  elseif not @{edges.is_met}(wish.kind, up.status, up.flags) then
    task.broken = task.broken or up
  end
end

=== edit_edges.add_open
function @{edit_edges.add_open}(task, wish, up)
  @{namespace.probe}('ZCARD', @{edges.dependents}(up.id))
  task.edges[#task.edges + 1] = { up = up, kind = wish.kind, slots = wish.slots }
end

=== edit_edges.plan_suspension
function @{edit_edges.plan_suspension}(task, wanted)
  task.key = @{namespace.key}('task', task.id)
  @{namespace.declare}(@{edges.upstreams}(task.id))
  @{namespace.declare}(@{edges.inputs}(task.id))
  task.inputs, task.slots, task.bytes = redis.call('HGET', task.key, 'inputs') or '', 0, 0
  if wanted.some > 0 then
    task.inputs = @{at_least.without}(string.gsub(task.inputs, ' ?some/?%d*=%S+', ''))
  end
  @{edit_edges.look}(task, wanted, @{edit_edges.look_for_child})
  if task.code and not task.lacking then
    @{reply.fail}(task.code, task.refusal)
  elseif task.code then
    task.broken = task.broken or task.lacking
  end
  @{edit_edges.refuse_circles}(task)
  @{edit_edges.flag}(task)
  if task.set and @{at_least.is_ready}(task.set, #task.edges) then
    task.edges, task.set = {}, nil
  end
end

=== edit_edges.flag
function @{edit_edges.flag}(task)
  if not string.find(task.flags or '', 'w', 1, true) then
    task.flags = (task.flags or '') .. 'w'
  end
  if task.set then
    @{at_least.flag}(task)
  end
end

=== edit_edges.suspend
function @{edit_edges.suspend}(task, wanted, why, ...)
  @{edit_edges.plan_suspension}(task, wanted)
  if task.broken then
    local told = redis.call('HMGET', @{namespace.key}('task', task.broken.id), 'status', 'error', 'cause')
    task.group = 'upstream'
    return @{fence.finish}(task, 'failed', 'failed', why, 'group', 'upstream', 'cause', told[3] or task.broken.id,
      'error', @{edge_end.error_of}(task.broken.id, told), ...)
  end
  local to = task.edges[1] and 'waiting' or 'pending'
  task.front, task.forget = true, { 'readied', 'promoted', @{record.attempt_fields}() }
  @{fence.finish}(task, to, 'released', why, 'inputs', @{edit_edges.text}(task), 'flags', task.flags, 'front', '1', ...)
  @{edge_submit.enter}({ task })
  if to == 'pending' then
    do
      local queue = task.queue
      local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
      local value_2_1
      do
        local queue, idle, sets = queue, idle[queue], idle['*']
        if idle then
          redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
        end
        if sets then
          do
            local queue = queue
            local ready = @{namespace.prefix} .. 'ready'
            if not @{namespace.declared} or @{namespace.is_here}(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if sets ~= '' then
            sets = @{wakeups.wake_sets}(sets, queue)
          end
        end
        redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
        value_2_1 = sets
      end
      local sets = value_2_1
      idle[queue], idle['*'] = nil, sets
    end
  end
  return 'released'
end

=== edit_edges.check_slots
function @{edit_edges.check_slots}(task, slots)
  if #slots > 0 and task.slots == 0 then
    @{reply.fail}('BADARG', 'results are added only to a task that waits for results: its parameters are whole')
  end
  table.sort(slots)
  for i, slot in ipairs(slots) do
    if slot ~= task.slots + i - 1 then
      @{reply.fail}('BADARG', 'the next slot of the task is ' .. task.slots .. ': the new ones follow without a gap')
    end
  end
  task.slots = task.slots + #slots
end

=== edit_edges.refuse_circles
function @{edit_edges.refuse_circles}(task)
  if not task.flags or not string.find(task.flags, 'd', 1, true) then
    return
  end
  local ids, below, number = {}, {}, 0
  for _, edge in ipairs(task.edges) do
    ids[#ids + 1], below[edge.up.id] = edge.up.id, task.id
  end
  local at = 1
  while ids[at] do
    local id = ids[at]
    local key = @{namespace.declare}(@{edges.upstreams}(id))
    number = number + redis.call('HLEN', key)
    if at > 2000 or number > 10000 then
      @{reply.fail}('TOOBIG', 'the new upstreams wait for over ' .. 2000 .. ' tasks, or in over '
        .. 10000 .. ' ways: too many to look for a circle. Submit a new task that waits for them')
    end
    for _, up in ipairs(redis.call('HKEYS', key)) do
      if up == task.id then
        @{reply.fail}('CYCLE', 'these tasks would wait for one another: ' .. @{edit_edges.way}(task.id, id, below))
      elseif not below[up] then
        ids[#ids + 1], below[up] = up, id
      end
    end
    at = at + 1
  end
end

=== edit_edges.way
function @{edit_edges.way}(first, id, below)
  local names, number = { first }, 1
  while id ~= first do
    number = number + 1
    if number <= 20 then
      names[number] = id
    end
    id = below[id]
  end
  if number > 20 then
    names[#names + 1] = number - 20 .. ' more'
  end
  names[#names + 1] = first
  return table.concat(names, ' -> ')
end

=== edit_edges.plan
function @{edit_edges.plan}(task)
  if task.code then
    @{reply.fail}(task.code, task.refusal)
  end
  @{edit_edges.flag}(task)
  local open = redis.call('HLEN', @{namespace.declare}(@{edges.upstreams}(task.id))) + #task.edges
  if task.set and @{at_least.is_ready}(task.set, open) then
    task.edges = {}
    if task.status == 'waiting' then
      task.ready = { id = task.id, task = task, set = task.set, filled = task.filled }
      @{edge_end.plan_ready}(task.ready, task.slots, task.bytes)
      @{state.plan_follow}(task.ready)
    end
    task.set = nil
  elseif task.edges[1] and task.status ~= 'waiting' then
    task.to, task.forget = 'waiting', { 'readied', 'promoted' }
    @{state.plan}(task, 'waiting')
  end
end

=== edit_edges.run
function @{edit_edges.run}(task)
  redis.call('HSET', task.key, 'inputs', @{edit_edges.text}(task), 'flags', task.flags)
  if task.to then
    @{state.move}(task, 'waiting', 'depend', '')
  end
  if task.ready and not task.ready.joins then
    @{edge_end.meet}(nil, task.ready)
    @{state.follow}(task.ready)
    return task.ready.to
  end
  @{edge_submit.enter}({ task })
  if task.ready then
    @{edge_end.meet}(nil, task.ready)
  end
  return task.to or task.status
end

=== edit_edges.without
function @{edit_edges.without}(text, id)
  local kept = {}
  for entry in string.gmatch(text, '%S+') do
    if string.match(entry, '=(.+)$') ~= id then
      kept[#kept + 1] = entry
    end
  end
  return table.concat(kept, ' ')
end

=== edits.names
function @{edits.names}(value, what)
  local names = {}
  for name in string.gmatch(#value <= 1024 and value .. ',' or ',', '([^,]*),') do
    local known = string.find(name, '^[%l_]+$') and string.find(' title=title submitter=submitter method=method command=command priority=priority max_failures=max_failures backoff=backoff delay=delay max_delay=max_delay jitter=jitter max_losses=max_losses lost_delay=lost_delay max_releases=max_releases lease=own_lease key=key weight=weight needs=needs limits=limits unique=unique unique_until=unique_until tags=tags deadline=deadline max_run=max_run warn=warn no_progress=no_progress grace=grace nice=nice notify=notify log_bytes=log_bytes trace=trace steps=steps ', ' ' .. name .. '=', 1, true)
    if name ~= 'eta' and not known then
      @{reply.fail}('BADARG', what .. ' must be names of options of a task, or eta, separated by commas')
    end
    names[name] = true
  end
  return names
end

=== edits.get
function @{edits.get}(id, token)
  local task = @{actions.get}(id)
  if token and not (@{record.held}(task) and task.token == token) then
    @{fence.stale}(id, token, '')
  elseif @{contract.is_final}(task.status) then
    @{record.refuse}(task.status, 'waiting, scheduled, pending, held, reserved or started')
  end
  @{edits.read}(task)
  return task
end

=== edits.read
function @{edits.read}(task)
  local fields = { 'eta', 'retry_eta', 'exclusive', 'slots', 'ended', 'waited' }
  for field in string.gmatch(' title=title submitter=submitter method=method command=command priority=priority max_failures=max_failures backoff=backoff delay=delay max_delay=max_delay jitter=jitter max_losses=max_losses lost_delay=lost_delay max_releases=max_releases lease=own_lease key=key weight=weight needs=needs limits=limits unique=unique unique_until=unique_until tags=tags deadline=deadline max_run=max_run warn=warn no_progress=no_progress grace=grace nice=nice notify=notify log_bytes=log_bytes trace=trace steps=steps ', '=(%S+)') do
    fields[#fields + 1] = field
  end
  task.had = {}
  for i, value in ipairs(redis.call('HMGET', task.key, unpack(fields))) do
    task.had[fields[i]] = value or nil
  end
end

=== edits.options
function @{edits.options}(task, given, unset)
  local wanted, had = {}, task.had
  for name, field in string.gmatch(' title=title submitter=submitter method=method command=command priority=priority max_failures=max_failures backoff=backoff delay=delay max_delay=max_delay jitter=jitter max_losses=max_losses lost_delay=lost_delay max_releases=max_releases lease=own_lease key=key weight=weight needs=needs limits=limits unique=unique unique_until=unique_until tags=tags deadline=deadline max_run=max_run warn=warn no_progress=no_progress grace=grace nice=nice notify=notify log_bytes=log_bytes trace=trace steps=steps ', '(%S+)=(%S+)') do
    if unset[name] and given[name] ~= nil then
      @{reply.fail}('BADARG', 'unset names an option that is given, too')
    end
    wanted[name] = not unset[name] and had[field] or nil
  end
  wanted.lease = wanted.lease and wanted.lease / 1000000
  if unset.unique then
    wanted.unique_until = nil
  end
  for name, value in pairs(given) do
    wanted[name] = value
  end
  wanted.exclusive = had.exclusive and wanted.key
  return wanted
end

=== edits.tell
function @{edits.tell}(edit, name, before, after)
  edit.changed[name] = true
  edit.told[#edit.told + 1] = string.format('"%s":[%s,%s]', name, @{edits.json}(before), @{edits.json}(after))
end

=== edits.json
function @{edits.json}(value)
  if not value then
    return 'null'
  elseif type(value) == 'number' then
    return string.format('%.14g', value)
  end
  return cjson.encode(string.sub(value, 1, 128))
end

=== edits.write
function @{edits.write}(edit, field, value)
  if value then
    edit.set[#edit.set + 1], edit.set[#edit.set + 2] = field, value
  else
    edit.forget[#edit.forget + 1] = field
  end
end

=== edits.compare
function @{edits.compare}(task, spec, call)
  local had, new = task.had, {}
  local edit = { set = {}, forget = {}, told = {}, changed = {}, to = task.status }
  for i = 1, #spec.fields, 2 do
    new[spec.fields[i]] = spec.fields[i + 1]
  end
  if had.exclusive and not (new.exclusive and new.key == had.key and new.unique == had.unique
    and new.unique_until == had.unique_until) then
    @{reply.fail}('BADARG', 'one task of this key runs at a time, by its schedule or by the policy latest:'
      .. ' its key and its unique name cannot be changed')
  end
  for name, field in string.gmatch(' title=title submitter=submitter method=method command=command priority=priority max_failures=max_failures backoff=backoff delay=delay max_delay=max_delay jitter=jitter max_losses=max_losses lost_delay=lost_delay max_releases=max_releases lease=own_lease key=key weight=weight needs=needs limits=limits unique=unique unique_until=unique_until tags=tags deadline=deadline max_run=max_run warn=warn no_progress=no_progress grace=grace nice=nice notify=notify log_bytes=log_bytes trace=trace steps=steps ', '(%S+)=(%S+)') do
    local before, after = had[field], new[field]
    if before ~= after then
      @{edits.write}(edit, field, after)
      if name == 'lease' then
        before, after = before and before / 1000000, after and after / 1000000
      end
      if name == 'command' then
        before, after = @{args.argv}(before), @{args.argv}(after)
      end
      @{edits.tell}(edit, name, before, after)
    end
  end
  @{edits.compare_parameters}(task, edit, call.parameters)
  if call.eta ~= nil then
    @{edits.compare_eta}(task, edit, call.eta)
  end
  if call.queue and call.queue ~= task.queue then
    @{edits.tell}(edit, 'queue', task.queue, call.queue)
  end
  if not edit.told[1] then
    return
  end
  local flags = spec.flags or ''
  for letter in string.gmatch(task.flags or '', '[rwkdgoacnx]') do
    flags = string.find(flags, letter, 1, true) and flags or flags .. letter
  end
  if flags ~= (task.flags or '') then
    @{edits.write}(edit, 'flags', flags ~= '' and flags)
  end
  local fresh = { id = task.id, queue = task.queue, flags = flags ~= '' and flags or nil }
  if fresh.flags then
    @{holdings.assign}(fresh, spec.holds or {})
  end
  if fresh.watch then
    fresh.watch.waited = had.waited
  end
  edit.fresh, task.edit = fresh, edit
end

=== edits.compare_parameters
function @{edits.compare_parameters}(task, edit, parameters)
  local before = parameters and redis.call('HGET', task.key, 'parameters') or ''
  if not parameters or parameters == before then
    return
  elseif task.had.slots or string.find(task.flags or '', 'w', 1, true)
    and redis.call('HEXISTS', @{namespace.declare}(@{edges.inputs}(task.id)), 'slots') == 1 then
    @{reply.fail}('BADARG', 'the parameters of this task are made of the results of others: they cannot be edited')
  end
  @{edits.write}(edit, 'parameters', parameters)
  @{edits.tell}(edit, 'parameters', #before, #parameters)
end

=== edits.compare_eta
function @{edits.compare_eta}(task, edit, eta)
  local had, at = task.had.eta, eta and @{namespace.decimal}(eta)
  local later = eta and eta > @{namespace.now_us}
  if task.status == 'pending' then
    if not later then
      return
    end
    edit.to = 'scheduled'
  elseif tonumber(had or nil) == tonumber(at or nil) then
    return
  elseif task.status == 'scheduled' and not later then
    edit.to = 'pending'
  end
  edit.eta = at
  @{edits.write}(edit, 'eta', at)
  if task.had.retry_eta then
    @{edits.write}(edit, 'retry_eta')
  end
  @{edits.tell}(edit, 'eta', task.status ~= 'pending' and had, at)
end

=== edits.plan
function @{edits.plan}(task, step)
  local edit, held = task.edit, @{record.held}(task)
  local fresh, changed, moves = edit.fresh, edit.changed, edit.changed.queue
  for name in string.gmatch(held and ' queue eta key weight limits unique unique_until ' or '', '%S+') do
    if changed[name] then
      return 'STATE', 'the task is ' .. task.status .. ': its ' .. name .. ' is changed only while it waits'
    end
  end
  if task.flags then
    @{holdings.load}(task)
  end
  if changed.deadline and held and @{deadlines.decided}(task) then
    return 'STATE', 'its deadline has passed, and its owner was told to stop: retry it with another deadline then'
  elseif changed.deadline and fresh.end_by and @{deadlines.is_past}(fresh.end_by) then
    return @{deadlines.refusal}()
  end
  if changed.deadline then
    @{namespace.probe}('ZCARD', @{holdings.deadlines}())
  end
  edit.watch = task.watch
  if task.watch or fresh.watch then
    @{namespace.probe}('ZCARD', @{watches.key}())
  end
  if (changed.needs or changed.limits) and @{needs.class}(fresh) and not moves then
    @{creation.require_few_needs}(task.queue, @{needs.class}(fresh))
  end
  if changed.limits then
    @{shared_count.plan}()
  end
  if moves then
    step.alter = @{edits.alter}
    return @{moving.plan}(task, step)
  elseif changed.tags then
    @{tags.plan_swap}(task, task.tags, fresh.tags)
  end
  if (changed.unique or changed.unique_until) and not @{edits.plan_name}(task, step) then
    return 'DUPLICATE', 'another task has this unique name; get its id with the policy existing, or wait until it ends, starts, or its time passes'
  end
  @{edits.plan_index}(task, step)
end

=== edits.take_holdings
function @{edits.take_holdings}(task, fresh)
  for name in string.gmatch(' priority fair_key weight needs unique till tags own_lease exclusive end_by shared notify watch ', '%S+') do
    task[name] = fresh[name]
  end
end

=== edits.alter
function @{edits.alter}(task, other)
  local edit = task.edit
  local name, ends = other.unique, other.ends
  other.flags = edit.fresh.flags
  if other.flags then
    do
      local task = other
      task.bound = true
      task.ranked = string.find(task.flags, 'r', 1, true) and true
      task.limited = string.find(task.flags, 'p', 1, true) and true
      task.tracked = string.find(task.flags, 'o', 1, true)
    end
  end
  @{edits.take_holdings}(other, edit.fresh)
  local same = not (edit.changed.unique or edit.changed.unique_until)
  other.unique, other.ends = same and name or not same and other.unique or nil, same and ends or nil
  other.to, other.eta = edit.to, edit.eta or other.eta
end

=== edits.plan_name
function @{edits.plan_name}(task, step)
  local queue, fresh = task.queue, task.edit.fresh
  @{namespace.require_settled_slot}()
  @{namespace.probe}('HLEN', @{namespace.key}('unique', queue))
  @{namespace.probe}('ZCARD', @{namespace.key}('timed', queue))
  if task.unique then
    local old = { id = task.id, queue = queue, unique = task.unique }
    old.holder, old.held_till, old.kept = @{holdings.name_holders}(queue, task.unique)
    task.edit.name = old
  end
  return @{actions.unique}(fresh, step)
end

=== edits.plan_index
function @{edits.plan_index}(task, step)
  local edit = task.edit
  local fresh, changed = edit.fresh, edit.changed
  if edit.to ~= task.status then
    task.ranked, task.eta = fresh.ranked or task.ranked, edit.eta
    task.note, task.forget = @{edits.note}(task, step), { 'readied', 'promoted' }
    if edit.to == 'pending' then
      task.flags, task.front = fresh.flags, task.extra[4] and true
      task.turn = task.extra[4] and tonumber(task.had.ended)
      @{edits.take_holdings}(task, fresh)
      if task.flags then
        do
          local task = task
          task.bound = true
          task.ranked = string.find(task.flags, 'r', 1, true) and true
          task.limited = string.find(task.flags, 'p', 1, true) and true
          task.tracked = string.find(task.flags, 'o', 1, true)
        end
      end
    end
    return @{actions.plan}(task, edit.to, step)
  end
  @{history.plan}(task)
  @{tracking.plan_note}(task)
  if not @{contract.is_waiting}(task.status) then
    return
  end
  local stands = changed.key or changed.weight or changed.needs or changed.limits or changed.priority
  if task.status == 'scheduled' and changed.eta then
    @{namespace.probe}('ZCARD', @{namespace.key}('scheduled_tasks', task.queue))
    @{namespace.probe}('ZCARD', @{namespace.key}('scheduled_ranked_tasks', task.queue))
    stands = stands or fresh.ranked
  end
  if stands and fresh.ranked and task.status ~= 'waiting' then
    fresh.place = not changed.priority and (task.rank or @{fairness.list_rank}(task.since, task.extra[4]))
    @{prioritising.plan_place}(task, fresh, step)
  end
  if stands and task.status == 'pending' then
    @{wakeups.plan}(task.queue)
    step.wakes = task.queue
  end
end

=== edits.note
function @{edits.note}(task, step)
  return { 'note', step.reason or '', 'data', '{' .. table.concat(task.edit.told, ',') .. '}' }
end

=== edits.run
function @{edits.run}(task, step)
  local edit, key = task.edit, task.key
  if edit.set[1] then
    redis.call('HSET', key, unpack(edit.set))
  end
  if edit.forget[1] then
    redis.call('HDEL', key, unpack(edit.forget))
  end
  if edit.changed.deadline and edit.fresh.end_by then
    redis.call('ZADD', @{holdings.deadlines}(), edit.fresh.end_by, task.id)
  elseif edit.changed.deadline then
    redis.call('ZREM', @{holdings.deadlines}(), task.id)
  end
  if (edit.watch or edit.fresh.watch) and not edit.changed.queue then
    @{watches.change}(task.id, edit.watch, task.status, edit.fresh.watch, task.status)
    task.watch = edit.fresh.watch
  end
  if edit.changed.queue then
    task.note = @{edits.note}(task, step)
    return @{moving.move}(task, step)
  elseif edit.changed.tags then
    @{tags.swap}(task)
  end
  if edit.changed.limits then
    @{shared_count.recount}(edit.fresh.shared, task.had.limits)
  end
  if edit.name then
    @{holdings.release_name}(edit.name, 'moved')
  end
  if (edit.changed.unique or edit.changed.unique_until) and edit.fresh.unique then
    @{holdings.take_name}(edit.fresh)
  end
  if edit.to ~= task.status then
    @{state.move}(task, edit.to, 'edit', step.by)
    step.wakes = edit.to == 'pending' and task.queue or step.wakes
    return
  end
  if task.fresh then
    @{prioritising.place}(task, step)
  end
  if task.status == 'scheduled' and edit.changed.eta then
    redis.call('ZADD', @{namespace.key}(edit.fresh.ranked and 'scheduled_ranked_tasks' or 'scheduled_tasks', task.queue),
      edit.eta, task.id)
  end
  @{history.add}(task, { to = task.status, why = 'edit', by = step.by, at = @{record.time}(task),
    note = @{edits.note}(task, step) }, '', '', '', '')
  @{tracking.note}(task, 'edit', step.by, @{edits.names_of}(edit))
end

=== edits.names_of
function @{edits.names_of}(edit)
  local changed = {}
  for name in pairs(edit.changed) do
    changed[#changed + 1] = name
  end
  table.sort(changed, @{args.before})
  return table.concat(changed, ' ')
end

=== ending.complete
function @{ending.complete}(id, token, result, cost, limited, asked, ends)
  local task, stored = @{fence.task}(id, token, 'complete cancelled discarded', 'outcome')
  local answer = not task and stored or nil
  if task and task.cancel then
    @{fence.alive}(task)
    answer = @{ending.discard}(task, cost)
  end
  if task and not answer and (asked or task.flags and string.find(task.flags, 's', 1, true)) then
    answer = @{steps.go_on}(task, result, cost, limited, asked)
  end
  if task and not answer then
    do
      local task, stored, result, cost, limited, ends = task, stored, result, cost, limited, ends
      local id, token = task.id, task.token
      local prefix, tasks = @{namespace.prefix}, '_tasks_' .. task.queue
      if task.attempt ~= '1' and (redis.call('HGET', prefix .. 'task_' .. id, 'failures') or '0') ~= '0' then
        task.forget = { 'error', 'group', 'last_error', 'last_group', 'cancel', 'requeue', task.skips }
      elseif task.skips then
        task.forget = { 'cancel', 'requeue', task.skips }
      end
      local held, ended, events = prefix .. 'reserved' .. tasks .. '_' .. task.node, prefix .. 'complete' .. tasks,
        prefix .. 'events_' .. task.queue
      local started = task.status == 'started' and prefix .. 'started' .. tasks
      do
        local task, held, started = task, held, started
        task.last = redis.call('LINDEX', held, '-1') == task.id
        if started then
          redis.call('SCARD', started)
        end
      end
      do
        local events, count, index = events, 'LLEN', ended
        redis.call('XLEN', events)
        redis.call(count, index)
      end
      if task.flags and string.find(task.flags, '[pudgeoacn]') then
        task.result = result
        @{state.plan_flags}(task, 'complete')
      end
      if limited or task.limited then
        do
          local task = task
          local queue, prefix = task.queue, @{namespace.prefix}
          if (task.limited or @{settings.get}(queue, 'concurrency'))
            and (redis.call('LLEN', @{namespace.declare}(prefix .. 'pending_tasks_' .. queue)) > 0
            or redis.call('EXISTS', @{namespace.declare}(prefix .. 'pending_ranked_tasks_' .. queue)) == 1) then
            @{wakeups.plan}(queue)
            task.wakes = true
          end
        end
      end
      if task.cancel or task.requeue then
        @{orders.plan}(task.queue)
      end
      local may, role = redis.acl_check_cmd, @{namespace.prefix} .. 'WORKER'
      if task.flags or task.cancel or task.requeue or task.forget then
        @{rights.require}()
      elseif may and not (may('HSET', role, '', '') and may('HDEL', @{namespace.meta}, '')
        and may('XADD', events, '*', '', '') and (not started or may('SREM', started, ''))
        and (not task.last or may('RPOPLPUSH', held, ended))
        and (task.last or may('LREM', held, '', '') and may('LPUSH', ended, ''))
        and (not task.wakes or may('LPUSH', prefix .. 'wake_' .. task.queue, ''))) then
        @{rights.require}()
      end
      if @{namespace.declared} then
        @{namespace.begin_declared}(prefix .. 'leases_' .. task.queue, held, events, ended, started or held)
      end
      if cost then
        @{state.move}(task, 'complete', 'complete', task.node,
          'ended', token, 'outcome', 'complete', 'result', result, 'cost', cost, 'cost_of', token)
      elseif stored then
        @{state.move}(task, 'complete', 'complete', task.node, 'ended', token, 'outcome', 'complete', 'result', result)
      else
        @{state.move}(task, 'complete', 'complete', task.node, 'ended', token, 'result', result)
      end
      if ends and started then
        ends.written = task
      end
    end
  end
  if ends and task and task.readied then
    ends.back = true
  end
  return answer or 'complete', not task
end

=== ending.discard
function @{ending.discard}(task, cost)
  if redis.call('HGET', @{namespace.key}('task', task.id), 'discard') then
    task.cost = cost
    return @{fence.finish}(task, 'cancelled', 'cancelled', 'complete')
  elseif @{deadlines.decided}(task) then
    task.cost = cost
    return @{deadlines.finish}(task, 'complete')
  end
end

=== ending.fail
function @{ending.fail}(id, token, text, options)
  if options.again and options.final then
    @{reply.fail}('BADARG', 'again and final contradict each other')
  end
  @{args.bytes}(text, options.max_bytes or 1048576, 'error')

  local task, failures = @{fence.task}(id, token, 'failed retrying cancelled ', 'failures')
  if not task then
    return failures, true
  end
  @{fence.alive}(task)
  failures, task.group, task.cost = tonumber(failures or 0) + 1, options.group, options.cost
  local to, outcome = 'failed', 'failed'
  if @{deadlines.decided}(task) then
    return @{deadlines.finish}(task, 'fail',
      'last_error', text, 'last_group', options.group or '', 'failures', failures)
  elseif task.cancel then
    to, outcome, task.forget = 'cancelled', 'cancelled', { 'cancel', 'requeue', 'error', 'group' }
  elseif not options.final then
    local pause = @{retries.pause}(task, failures, options.again)
    if pause then
      outcome, task.forget = 'retrying', { 'error', 'group', 'front', @{record.attempt_fields}() }
      to = @{holdings.state_after_release}(task, @{retries.plan}(task, pause))
      if to == 'cancelled' then
        outcome, task.forget = 'cancelled', nil
      end
    end
  end
  if to == 'failed' then
    if failures > 1 then
      task.forget = { 'last_error', 'last_group', 'requeue' }
    end
    return @{retries.finish}(task, to, outcome, 'fail', 'error', text, 'group', options.group or '', 'failures', failures)
  end
  return @{retries.finish}(task, to, outcome, 'fail',
    'last_error', text, 'last_group', options.group or '', 'failures', failures, @{holdings.cancel_reason}(task))
end

=== ending.release
function @{ending.release}(id, token, options)
  if options.lost and (options.reason or options.again or options.uncounted or options.cost or options.inputs
    or options.into) then
    @{reply.fail}('BADARG', 'lost cannot be combined with other options: it has its own count and delays')
  elseif options.inputs and options.again then
    @{reply.fail}('BADARG', 'again and inputs contradict each other: the task comes back when it is ready')
  elseif options.into and (options.inputs or options.reason == 'next') then
    @{reply.fail}('BADARG', 'into goes neither with inputs nor with the reason next: that is how a step ends')
  end
  local why = options.reason or 'release'

  local task, releases = @{fence.task}(id, token, options.lost and 'lost ' or 'released cancelled failed ', 'releases')
  if not task then
    return releases, true
  elseif options.lost then
    return @{lost_attempts.died}(task, options.lost)
  end
  task.cost = options.cost
  if task.requeue and why == 'drain' then
    why = 'requeue'
  end
  local counter, cap = 'releases', 'max_releases'
  if options.uncounted then
    counter, cap = 'uncounted', 'max_uncounted'
  end
  local v = redis.call('HMGET', @{namespace.prefix} .. 'task_' .. id, counter, cap)
  local count = tonumber(v[1] or 0) + 1
  if @{deadlines.decided}(task) then
    return @{deadlines.finish}(task, why, counter, count)
  elseif task.cancel then
    return @{fence.finish}(task, 'cancelled', 'cancelled', why, counter, count)
  elseif count > tonumber(v[2] or @{settings.get}(task.queue, cap)) then
    task.group = 'released'
    return @{fence.finish}(task, 'failed', 'failed', why, 'group', 'released',
      'error', 'given back ' .. count .. ' times' .. (options.uncounted and ' by owners that could not run it' or '')
        .. ', more than ' .. cap .. ' allows',
      counter, count)
  end
  if @{holdings.state_after_release}(task, 'pending', options.reason or 'release') == 'cancelled' then
    return @{fence.finish}(task, 'cancelled', 'cancelled', why, counter, count, @{holdings.cancel_reason}(task))
  end
  if options.suspend then
    return options.suspend(task, options.inputs, why, counter, count)
  elseif options.elsewhere and options.into ~= task.queue then
    return options.elsewhere(task, options, why, counter, count)
  end
  task.front, task.forget = true, { @{record.attempt_fields}() }
  if options.again and options.again > 0 then
    task.front = nil
    return @{retries.finish}(task, @{retries.plan}(task, options.again), 'released', why, counter, count, 'front', '1')
  end
  @{fence.finish}(task, 'pending', 'released', why, counter, count, 'front', '1')
  do
    local queue = task.queue
    local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
    local value_2_1
    do
      local queue, idle, sets = queue, idle[queue], idle['*']
      if idle then
        redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
      end
      if sets then
        do
          local queue = queue
          local ready = @{namespace.prefix} .. 'ready'
          if not @{namespace.declared} or @{namespace.is_here}(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if sets ~= '' then
          sets = @{wakeups.wake_sets}(sets, queue)
        end
      end
      redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
      value_2_1 = sets
    end
    local sets = value_2_1
    idle[queue], idle['*'] = nil, sets
  end
  return 'released'
end

=== ending.read
function @{ending.read}(count, most)
  local ends, bytes = {}, 0
  for n = 1, count do
    local at = 7 * n - 1
    local one = { how = ARGV[at], id = ARGV[at + 1], token = ARGV[at + 2], body = ARGV[at + 3], cost = ARGV[at + 6] }
    local group, again = ARGV[at + 4], ARGV[at + 5]
    if one.how ~= 'complete' or group ~= '' or again ~= '' or one.cost ~= '' then
      @{ending.check}(one, group, again)
      ends.back = ends.back or one.how ~= 'complete'
    else
      one.cost = nil
    end
    bytes = bytes + #one.body
    if #one.body > most then
      @{args.bytes}(one.body, most, 'body')
    end
    ends[n] = one
  end
  if bytes > 8388608 then
    @{reply.fail}('TOOBIG', 'the bodies of this call are over 8388608 bytes: end the attempts by several calls')
  end
  return ends
end

=== ending.check
function @{ending.check}(one, group, again)
  @{args.word}(one.how, ' complete fail final release uncounted ', 'ending')
  one.cost = one.cost ~= '' and @{args.bytes}(one.cost, 1024, 'cost') or nil
  local gives_back = one.how == 'release' or one.how == 'uncounted'
  if gives_back and one.body ~= '' then
    @{reply.fail}('BADARG', 'the body must be empty: a release has none')
  elseif (one.how == 'complete' or one.how == 'final') and again ~= '' then
    @{reply.fail}('BADARG', 'again must be empty: it is for attempts that fail and are retried, or are released')
  elseif one.how == 'complete' and group ~= '' then
    one.asked = { next = @{args.plain}(group, 'group') }
    return
  end
  again = @{args.delay_or_none}(again, 'again')
  if gives_back then
    one.options = { reason = group ~= '' and @{args.cause}(group, 'group') or nil, again = again, cost = one.cost,
      uncounted = one.how == 'uncounted' }
  else
    one.options = { group = @{groups.name}(group, 'group'), again = again, cost = one.cost,
      final = one.how == 'final', max_bytes = #one.body }
  end
end

=== ending.all
function @{ending.all}(ends, listener, limited)
  local verdicts = {}
  if ends[2] then
    @{ending.complete_plain}(ends, listener, verdicts, limited)
  end
  for n = 1, #ends do
    if not verdicts[n] then
      local ok, answer, stale = pcall(@{ending.one}, ends[n], limited, ends)
      verdicts[n], ends.stale = answer, ends.stale or stale or not ok
      if not ok then
        verdicts[n] = @{reply.code}(answer)
        if not ends[2] and verdicts[n] ~= 'LOST' then
          error(answer, 0)
        end
      end
    end
  end
  return verdicts
end

=== ending.one
function @{ending.one}(one, limited, ends)
  if one.how == 'complete' then
    return @{ending.complete}(one.id, one.token, one.body, one.cost, limited, one.asked, ends)
  elseif one.how == 'fail' or one.how == 'final' then
    return @{ending.fail}(one.id, one.token, one.body, one.options)
  end
  return @{ending.release}(one.id, one.token, one.options)
end

=== ending.complete_plain
function @{ending.complete_plain}(ends, listener, verdicts, limited)
  local prefix, plain, seen = @{namespace.prefix}, {}, {}
  for n = 1, #ends do
    local one = ends[n]
    local id = one.id
    local v = redis.pcall('HMGET', prefix .. 'task_' .. id, 'status', 'token', 'node', 'attempt', 'queue', 'pid',
      'cancel', 'updated', 'flags', 'requeue', 'failures', 'outcome')
    if v.err or v[2] ~= one.token then
      @{args.plain}(id, 'id')
      @{args.integer}(one.token, 1, 9007199254740991, 'token')
    elseif one.how == 'complete' and not one.asked and (v[1] == 'started' or v[1] == 'reserved')
      and v[3] == listener and not seen[id]
      and not (v[7] or v[9] or v[10]) and (v[11] or '0') == '0' and (not plain[1] or plain[1].queue == v[5]) then
      plain[#plain + 1] = { id = id, status = v[1], token = v[2], node = v[3], attempt = v[4], queue = v[5],
        pid = v[6] or '', since = v[8], at = n, stored = v[12] }
    end
    seen[id] = true
  end
  if not plain[2] then
    return
  end
  @{ending.plan_plain}(plain, limited)
  @{batch.complete}(plain)
  local write = @{state.record}
  ends.written = plain[1]
  for _, task in ipairs(plain) do
    local one = ends[task.at]
    verdicts[task.at] = 'complete'
    if one.cost then
      write(task, 'complete', 'complete', listener, 'ended', task.token, 'outcome', 'complete',
        'result', one.body, 'cost', one.cost, 'cost_of', task.token)
    elseif task.stored then
      write(task, 'complete', 'complete', listener, 'ended', task.token, 'outcome', 'complete',
        'result', one.body)
    else
      write(task, 'complete', 'complete', listener, 'ended', task.token, 'result', one.body)
    end
  end
end

=== ending.plan_plain
function @{ending.plan_plain}(plain, limited)
  local prefix, tasks = @{namespace.prefix}, '_tasks_' .. plain[1].queue
  local held, started = prefix .. 'reserved' .. tasks .. '_' .. plain[1].node, prefix .. 'started' .. tasks
  local ended, events = prefix .. 'complete' .. tasks, prefix .. 'events_' .. plain[1].queue
  redis.call('LLEN', held)
  redis.call('SCARD', started)
  do
    local events, count, index = events, 'LLEN', ended
    redis.call('XLEN', events)
    redis.call(count, index)
  end
  if limited then
    do
      local task = plain[1]
      local queue, prefix = task.queue, @{namespace.prefix}
      if (task.limited or @{settings.get}(queue, 'concurrency'))
        and (redis.call('LLEN', @{namespace.declare}(prefix .. 'pending_tasks_' .. queue)) > 0
        or redis.call('EXISTS', @{namespace.declare}(prefix .. 'pending_ranked_tasks_' .. queue)) == 1) then
        @{wakeups.plan}(queue)
        task.wakes = true
      end
    end
  end
  local may, role = redis.acl_check_cmd, @{namespace.prefix} .. 'WORKER'
  if plain[1].wakes then
    @{rights.require}()
  elseif may and not (may('HSET', role, '', '') and may('HDEL', @{namespace.meta}, '')
    and may('XADD', events, '*', '', '') and may('SREM', started, '') and may('LREM', held, '', '')
    and may('LPUSH', ended, '')) then
    @{rights.require}()
  end
  if @{namespace.declared} then
    for _, task in ipairs(plain) do
      @{namespace.declare}(prefix .. 'task_' .. task.id)
    end
    @{namespace.begin_declared}(prefix .. 'leases_' .. plain[1].queue, held, started, ended, events)
  end
end

=== event_entries.id
@{event_entries.id} = false

=== event_entries.codes
function @{event_entries.codes}()
  return {
    p = { '', 'pending', 'submit' },
    r = { 'pending', 'reserved', 'reserve' },
    t = { 'pending', 'started', 'reserve' },
    s = { 'reserved', 'started', 'start' },
    c = { 'started', 'complete', 'complete' },
  }
end

=== event_entries.parts
function @{event_entries.parts}(fields)
  if fields[1] == 'e' then
    return string.match(fields[2], '^(%S+) (%S+) ?(%d*) ?([%d.]*) ?(%S*) ?(%S*)$')
  end
end

=== event_entries.time
function @{event_entries.time}(entry)
  local micros = not entry[2][4] and string.match(entry[1], '^%d+')
  return entry[2][4] or #micros == 16 and string.sub(micros, 1, 10) .. '.' .. string.sub(micros, 11)
    or @{namespace.decimal}(tonumber(micros))
end

=== event_entries.read
function @{event_entries.read}(entry)
  local code, id, nth, rest, by = @{event_entries.parts}(entry[2])
  local states = code and (@{event_entries.codes}()[code] or { string.match(code, '^(%l*)>(%l+)>(.*)$') })
  if states and states[1] then
    local at = @{event_entries.time}(entry)
    local value_1_1
    do
      local at, rest = at, rest
      local shared = #rest == 9 and #at == 17 and string.sub(at, 1, 8) or ''
      value_1_1 = shared
    end
    local shared = value_1_1
    return { 'id', id, 'from', states[1], 'to', states[2], 'attempt', nth == '' and '0' or nth, 'at', at, 'by', by,
      'why', states[3], 'since', shared .. rest }
  end
end

=== event_sums.measure
function @{event_sums.measure}(own, at, since, bounds)
  local value_1_1
  do
    local at, rest = at, since
    local shared = #rest == 9 and #at == 17 and string.sub(at, 1, 8) or ''
    value_1_1 = shared
  end
  local shared = value_1_1
  at, since = tonumber(string.sub(at, #shared + 1)), tonumber(since)
  if not (at and since and since >= 0 and since <= at) then
    return
  end
  local seconds = math.floor((at - since) * 1000000 + 0.5) / 1000000
  own.count = own.count + 1
  own.sum = own.sum + seconds
  own.squares = own.squares + seconds * seconds
  if seconds < own.least then
    own.least = seconds
  end
  if seconds > own.most then
    own.most = seconds
  end
  local i = seconds > 600 and 10 or seconds > 10 and 5 or 1
  while bounds[i] and seconds > bounds[i] do
    i = i + 1
  end
  own[i] = (own[i] or 0) + 1
end

=== event_sums.sums
function @{event_sums.sums}()
  local sums = {}
  for _, name in ipairs(@{statistics.counts}()) do
    sums[name] = 0
  end
  for _, name in ipairs(@{statistics.measures}()) do
    sums[name] = { count = 0, sum = 0, squares = 0, least = math.huge, most = 0 }
  end
  return sums
end

=== event_sums.event
function @{event_sums.event}(sums, from, to, by, why, at, since, bounds)
  if from == 'pending' then
    if to == 'reserved' or to == 'started' then
      @{event_sums.measure}(sums.wait, at, since, bounds)
    end
  elseif from == 'reserved' or from == 'started' then
    local goes_on = to == 'moved' and why == 'next'
    if to == 'complete' or goes_on then
      @{event_sums.measure}(sums.done, at, since, bounds)
    elseif from == 'started' or (why == 'fail' and by ~= '') then
      @{event_sums.measure}(sums.run, at, since, bounds)
    end
    if to == 'reserved' or (by == '' and (why == 'lost' or why == 'adopt')) then
      sums.losses = sums.losses + 1
    elseif goes_on then
      sums.complete = sums.complete + 1
    elseif to ~= 'started' and to ~= 'complete' and why ~= 'complete' and by ~= '' then
      if why ~= 'fail' then
        sums.releases = sums.releases + 1
      else
        sums.failures = sums.failures + 1
        if to == 'pending' or to == 'scheduled' then
          sums.retries = sums.retries + 1
        end
      end
    end
  elseif from == '' then
    if why ~= 'move' then
      sums.submitted = sums.submitted + 1
    end
  elseif why == 'again' then
    sums.submitted = sums.submitted + (to ~= 'moved' and 1 or 0)
  elseif why == 'retry' and (to == 'pending' or to == 'moved') then
    sums.retries = sums.retries + 1
  end
  if to == 'started' or to == 'complete' or to == 'failed' or to == 'cancelled' then
    sums[to] = sums[to] + 1
  end
end

=== event_sums.add_done
function @{event_sums.add_done}(run, done, buckets)
  for _, name in ipairs({ 'count', 'sum', 'squares' }) do
    run[name] = run[name] + done[name]
  end
  run.least, run.most = math.min(run.least, done.least), math.max(run.most, done.most)
  for i = 1, buckets do
    run[i] = done[i] and (run[i] or 0) + done[i] or run[i]
  end
end

=== event_sums.merge
function @{event_sums.merge}(key, sums, prefix)
  local names, kinds, added, bounds = {}, {}, {}, @{statistics.bounds}()
  local function add(name, kind, value)
    local at = #names + 1
    names[at], kinds[at], added[at] = (prefix or '') .. name, kind, value
  end
  @{event_sums.add_done}(sums.run, sums.done, #bounds + 1)
  for _, name in ipairs(@{statistics.counts}()) do
    if sums[name] > 0 then
      add(name, 'count', sums[name])
    end
  end
  for _, measure in ipairs(@{statistics.measures}()) do
    local own = sums[measure]
    if own.count > 0 then
      for _, kind in ipairs({ 'count', 'sum', 'squares', 'least', 'most' }) do
        add(measure .. '.' .. kind, kind, own[kind])
      end
      for i = 1, #bounds + 1 do
        if own[i] then
          add(measure .. '.' .. (bounds[i] or 'over'), 'count', own[i])
        end
      end
    end
  end
  local held, fields = #names > 0 and redis.call('HMGET', key, unpack(names)), {}
  for i = 1, #names do
    fields[2 * i - 1] = names[i]
    fields[2 * i] = @{statistics.text}(kinds[i], @{statistics.join}(kinds[i], tonumber(held[i]), added[i]))
  end
  return fields
end

=== event_sums.end_of
function @{event_sums.end_of}(days_hosts, day, node, states, by, at, since, bounds)
  local hosts = days_hosts[day] or {}
  days_hosts[day] = hosts
  local sums = hosts[node]
  if not sums then
    local host = string.match(node, '^([%w.-]+)[%w.:-]*_%d+$')
    if not host or #node > 200 then
      return
    end
    sums = hosts[host] or @{event_sums.sums}()
    hosts[host], hosts[node] = sums, sums
  end
  @{event_sums.event}(sums, states[1], states[2], by, states[3], at, since, bounds)
end

=== event_sums.merge_hosts
function @{event_sums.merge_hosts}(key, hosts)
  local names = {}
  for name in pairs(hosts) do
    names[#names + 1] = not string.find(name, '_', 1, true) and name or nil
  end
  table.sort(names, @{args.before})
  local held = redis.call('HMGET', key, '*', unpack(names))
  local number, writes = tonumber(held[1]) or 0, {}
  for i, host in ipairs(names) do
    local known = held[i + 1]
    local fields = (known or number < 100) and @{event_sums.merge}(key, hosts[host], host .. ' ') or {}
    if fields[1] then
      if not known then
        number = number + 1
        fields[#fields + 1], fields[#fields + 2] = host, '1'
        fields[#fields + 1], fields[#fields + 2] = '*', number
      end
      writes[#writes + 1] = fields
    end
  end
  return writes
end

=== fairness.ranked_key
function @{fairness.ranked_key}(queue, number)
  return @{namespace.prefix} .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end

=== fairness.tasks_key
function @{fairness.tasks_key}(queue, key, number)
  return @{namespace.prefix} .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end

=== fairness.rank
function @{fairness.rank}(us)
  return string.format('%016.0f', us)
end

=== fairness.front_rank
function @{fairness.front_rank}(us)
  return '-' .. @{fairness.rank}(9007199254740991 - us)
end

=== fairness.list_rank
function @{fairness.list_rank}(updated, front)
  local us = (tonumber(updated) or -1) * 1000000
  if not (us >= 0 and us <= @{namespace.now_us}) then
    us = @{namespace.now_us}
  end
  return front and @{fairness.front_rank}(us) or @{fairness.rank}(us)
end

=== fairness.sort_value
function @{fairness.sort_value}(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end

=== fairness.issued_at
function @{fairness.issued_at}(rank)
  local order = @{fairness.sort_value}(rank)
  return order < 0 and -order - 1 or order
end

=== fairness.value
function @{fairness.value}(score, rank, ageing)
  return ageing and score + @{fairness.issued_at}(rank) / ageing or score
end

=== fairness.key_rank
function @{fairness.key_rank}(rank, served)
  return served and @{fairness.sort_value}(served) > @{fairness.sort_value}(rank) and served or rank
end

=== fairness.refresh
function @{fairness.refresh}(queue, key, number)
  local entries, field = @{namespace.key}('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', @{fairness.tasks_key}(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = @{limits.fits}(queue, key, weight)
    if fits then
      wanted = first[2] .. ' ' .. @{fairness.key_rank}(rank, redis.call('HGET', entries, key))
    elseif free then
      redis.call('ZADD', @{namespace.key}('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked, rank = @{fairness.ranked_key}(queue, number), nil
  if wanted then
    local score
    score, rank = string.match(wanted, '^(%S+) (%S+)$')
    redis.call('ZADD', ranked, score, rank .. ' /' .. key)
    redis.call('HSET', entries, field, wanted)
  else
    redis.call('HDEL', entries, field)
  end
  local former = current and string.match(current, ' (%S+)$')
  if former and former ~= rank then
    redis.call('ZREM', ranked, former .. ' /' .. key)
  end
end

=== fairness.refresh_all
function @{fairness.refresh_all}(queue, key)
  local waits = false
  for _, number in ipairs(@{needs.numbers}(queue)) do
    @{fairness.refresh}(queue, key, number)
    waits = waits or redis.call('EXISTS', @{fairness.tasks_key}(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', @{namespace.key}('places', queue), 'k:' .. key) then
    redis.call('HDEL', @{namespace.key}('turns', queue), key)
    redis.call('ZREM', @{namespace.key}('delayed', queue), key)
  end
end

=== fairness.plan_refresh
function @{fairness.plan_refresh}(queue, keys)
  if #keys > 0 then
    @{namespace.require_settled_slot}()
    @{namespace.probe}('HLEN', @{namespace.key}('turns', queue))
    @{namespace.probe}('HLEN', @{namespace.key}('limits', queue))
    @{namespace.probe}('HLEN', @{namespace.key}('places', queue))
    @{namespace.probe}('ZCARD', @{namespace.key}('delayed', queue))
    for _, key in ipairs(keys) do
      @{namespace.probe}('LLEN', @{limits.starts_key}(queue, key))
    end
  end
  for _, number in ipairs(#keys > 0 and @{needs.numbers}(queue) or {}) do
    @{namespace.probe}('ZCARD', @{fairness.ranked_key}(queue, number))
    for _, key in ipairs(keys) do
      @{namespace.probe}('ZCARD', @{fairness.tasks_key}(queue, key, number))
    end
  end
end

=== fairness.plan_due
function @{fairness.plan_due}(queue, limit, changes)
  local delayed = @{namespace.key}('delayed', queue)
  local now = string.format('%.0f', @{namespace.now_us})
  limit = math.max(1, math.floor(math.min(limit, 100) / #@{needs.numbers}(queue)))
  local found = { keys = {}, free = redis.call('ZRANGEBYSCORE', delayed, '-inf', now, 'LIMIT', 0, limit) }
  local later = redis.call('ZRANGEBYSCORE', delayed, '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  found.next, found.more = tonumber(later[2]), #found.free == limit
  for _, key in ipairs(found.free) do
    if key ~= '/' then
      found.keys[#found.keys + 1] = key
    end
  end
  local cursor, known = unpack(redis.call('HMGET', @{namespace.meta}, 'sweep:' .. queue, 'swept:' .. queue), 1, 2)
  if changes and changes ~= known and (redis.call('EXISTS', @{namespace.key}('pending_ranked_tasks', queue)) == 1
    or redis.call('LLEN', @{namespace.key}('pending_tasks', queue)) > 0) then
    cursor, found.changes = '0', changes
  end
  if cursor then
    local after = string.match(cursor, '^%- (%S+)$')
    if not after then
      local page = redis.call('HSCAN', @{namespace.key}('places', queue), cursor, 'COUNT', limit)
      for i = 1, #page[2], 2 do
        found.keys[#found.keys + 1] = string.match(page[2][i], '^k:(.+)$')
      end
      after, found.sweep = page[1] == '0' and '0', page[1]
    end
    if after then
      local page = redis.call('ZRANGEBYSCORE', delayed, '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
      for i = 1, #page, 2 do
        found.keys[#found.keys + 1] = page[i] ~= '/' and page[i] or nil
      end
      found.sweep = #page == 2 * limit and '- ' .. page[#page] or 'end'
    end
    found.more = found.more or found.sweep ~= 'end'
  end
  found.wakes = #found.free > 0 or cursor ~= false
  @{fairness.plan_refresh}(queue, found.keys)
  if #found.free > 0 then
    @{namespace.probe}('ZCARD', delayed)
  end
  return found
end

=== fairness.refresh_due
function @{fairness.refresh_due}(queue, found)
  if found.free and #found.free > 0 then
    redis.call('ZREM', @{namespace.key}('delayed', queue), unpack(found.free))
  end
  for _, key in ipairs(found.keys) do
    @{fairness.refresh_all}(queue, key)
  end
  if found.changes then
    redis.call('HSET', @{namespace.meta}, 'swept:' .. queue, found.changes)
  end
  if found.sweep == 'end' then
    redis.call('HDEL', @{namespace.meta}, 'sweep:' .. queue)
  elseif found.sweep then
    redis.call('HSET', @{namespace.meta}, 'sweep:' .. queue, found.sweep)
  end
end

=== fan_in.key
function @{fan_in.key}(id)
  return @{namespace.prefix} .. 'joined_' .. id
end

=== fan_in.list
function @{fan_in.list}(filled, slots)
  local lengths = {}
  for slot = 0, slots - 1 do
    filled[slot] = filled[slot] or 'null'
    lengths[slot + 1] = #filled[slot]
  end
  return '[' .. table.concat(filled, ',', 0, slots - 1) .. ']', table.concat(lengths, ',')
end

=== fan_in.collect
function @{fan_in.collect}(key, number, plan)
  local filled, brought = {}, plan.slots and #plan.slots or 0
  for from = 0, brought < number and number - 1 or -1, 1000 do
    local slots = {}
    for slot = from, math.min(number, from + 1000) - 1 do
      slots[#slots + 1] = slot
    end
    for i, text in ipairs(redis.call('HMGET', key, unpack(slots))) do
      filled[slots[i]] = text or 'null'
    end
  end
  for _, slot in ipairs(plan.slots or {}) do
    filled[slot] = plan.text
  end
  for slot, text in pairs(plan.filled or {}) do
    filled[slot] = text
  end
  return filled
end

=== fan_in.may_read
function @{fan_in.may_read}(length)
  local read = @{namespace.shared}('results')
  read.bytes = (read.bytes or 0) + length
  return length <= 131072 and read.bytes <= 262144
end

=== fan_in.is_long
function @{fan_in.is_long}(id, slots, bytes)
  local joined = @{namespace.shared}('joined')
  local all = (joined.bytes or 0) + bytes
  if slots == 0 or bytes <= 262144 and all <= 1048576 then
    joined.bytes = slots > 0 and all or joined.bytes
    return false
  end
  @{namespace.probe}('ZCARD', @{edges.deferred}())
  @{namespace.declare}(@{fan_in.key}(id))
  @{namespace.declare}(@{namespace.key}('task', id))
  return true
end

=== fan_in.begin
function @{fan_in.begin}(id)
  redis.call('UNLINK', @{edges.upstreams}(id), @{fan_in.key}(id))
  redis.call('HDEL', @{edges.inputs}(id), 'joined', 'lengths', @{at_least.fields}())
  redis.call('HSET', @{namespace.key}('task', id), 'cascade', 'join')
  redis.call('ZADD', @{edges.deferred}(), @{namespace.now}, id)
end

=== fan_in_steps.plan
function @{fan_in_steps.plan}(task)
  local id = task.id
  local own, key = @{namespace.declare}(@{edges.inputs}(id)), @{namespace.declare}(@{fan_in.key}(id))
  local v = redis.call('HMGET', own, 'slots', 'joined', 'lengths')
  local slots = tonumber(v[1] or nil)
  if task.status ~= 'waiting' or not slots or redis.call('HLEN', @{namespace.declare}(@{edges.upstreams}(id))) > 0 then
    return { over = true }
  end
  local slot, bytes = string.match(v[2] or '', '^(%d+) (%d+)$')
  if slot and redis.call('STRLEN', key) == tonumber(bytes) then
    slot, bytes = tonumber(slot), tonumber(bytes)
    if slot >= slots then
      return @{fan_in_steps.plan_end}(task, key, v[3])
    end
    return @{fan_in_steps.take}(own, slot, slots, bytes, v[3])
  end
  return @{fan_in_steps.take}(own, 0, slots, 0)
end

=== fan_in_steps.take
function @{fan_in_steps.take}(own, slot, slots, bytes, lengths)
  local step, names, size = { begins = slot == 0, slot = slot, number = slots }, {}, 0
  lengths = { lengths }
  repeat
    local length = redis.call('HSTRLEN', own, step.slot)
    if names[1] and size + length > 1048576 then
      break
    end
    names[#names + 1], lengths[#lengths + 1] = step.slot, length > 0 and length or 4
    size, step.slot = size + length, step.slot + 1
  until step.slot == slots or #names == 1000
  local texts = redis.call('HMGET', own, unpack(names))
  for i = 1, #texts do
    texts[i] = texts[i] or 'null'
  end
  step.texts = { slot == 0 and '[' or ',', texts[2] and table.concat(texts, ',') or texts[1],
    step.slot == slots and ']' or nil }
  for _, text in ipairs(step.texts) do
    bytes = bytes + #text
  end
  step.bytes, step.lengths = bytes, table.concat(lengths, ',')
  return step
end

=== fan_in_steps.plan_end
function @{fan_in_steps.plan_end}(task, key, lengths)
  local plan = { id = task.id, task = @{record.find}(task.id, @{edges.fields}()), lengths = lengths }
  plan.task.later = true
  plan.joined = redis.call('GET', key)
  @{edge_end.plan_ready}(plan, 0, 0)
  plan.task.forget = { 'cascade', unpack(plan.task.forget or {}) }
  return { ready = plan }
end

=== fan_in_steps.run
function @{fan_in_steps.run}(task, step)
  local own, key = @{edges.inputs}(task.id), @{fan_in.key}(task.id)
  if step.over then
    redis.call('UNLINK', key)
    redis.call('HDEL', own, 'joined', 'lengths')
    redis.call('HDEL', task.key, 'cascade')
  elseif step.ready then
    redis.call('UNLINK', key)
    @{edge_end.meet}(nil, step.ready)
  else
    for i, text in ipairs(step.texts) do
      redis.call(step.begins and i == 1 and 'SET' or 'APPEND', key, text)
    end
    redis.call('HSET', own, 'joined', string.format('%d %d', step.slot, step.bytes), 'lengths', step.lengths)
  end
end

=== fence.stale
function @{fence.stale}(id, token, endings)
  @{args.plain}(id, 'id')
  @{args.integer}(token, 1, 9007199254740991, 'token')
  @{namespace.check_slot}(@{namespace.prefix} .. 'task_' .. id)
  local last = redis.call('HMGET', @{namespace.prefix} .. 'task_' .. id, 'ended', 'outcome', 'group')
  local value_1_1
  do
    local stored, ended = last[2], last[1]
    local outcome = stored or ended and 'complete'
    value_1_1 = outcome
  end
  local outcome = value_1_1
  local discarded = outcome == 'failed' and last[3] == 'deadline'
  if last[1] == token and outcome and (string.find(endings, outcome .. ' ', 1, true)
    or discarded and string.find(endings, 'discarded', 1, true)) then
    return nil, outcome
  end
  @{reply.fail}('LOST', 'this attempt no longer holds the task: stop the work and discard its result')
end

=== fence.task
function @{fence.task}(id, token, endings, ...)
  local key = @{namespace.prefix} .. 'task_' .. id
  local v = redis.call('HMGET', key, 'status', 'token', 'node', 'attempt', 'queue', 'pid', 'cancel', 'updated', 'flags',
    'requeue', ...)
  local status = v[1]
  if v[2] ~= token or not (status == 'started' or status == 'reserved') then
    return @{fence.stale}(id, token, endings)
  end
  if @{namespace.declared} then
    @{namespace.declare}(key)
  end
  local task = {
    id = id, status = status, token = token, node = v[3], attempt = v[4], queue = v[5], pid = v[6] or '', last = false,
    since = v[8],
  }
  if v[7] then
    task.cancel = v[7]
  end
  if v[9] then
    task.flags = v[9]
  end
  if v[10] then
    task.requeue = v[10]
  end
  return task, v[11]
end

=== fence.alive
function @{fence.alive}(task)
  if task.cancel and @{orders.of}(task) == 'kill' then
    @{reply.fail}('LOST', 'this task was cancelled by force: stop the work, discard its result, and release the task')
  end
end

=== fence.finish
function @{fence.finish}(task, to, outcome, why, ...)
  local cost = task.cost
  if cost then
    task.cost = nil
    return @{fence.finish}(task, to, outcome, why, 'cost', cost, 'cost_of', task.token, ...)
  end
  @{state.plan}(task, to)
  @{namespace.begin}()
  @{state.move}(task, to, why, task.node, 'ended', task.token, 'outcome', outcome, ...)
  return outcome
end

=== firing.live
function @{firing.live}(schedule, overlap)
  local exclusive, last, beside = @{schedules.exclusive}(schedule, overlap), nil, nil
  local unfinished = {}
  for _, id in ipairs(schedule.unfinished) do
    local task = @{actions.find}(id)
    local maker, key, alone = unpack(redis.call('HMGET', @{namespace.key}('task', id), 'schedule', 'key', 'exclusive'))
    if task and maker == schedule.name and not @{contract.is_final}(task.status) then
      unfinished[#unfinished + 1] = id
      last = id == schedule.last_task and task or last
      local stops = id == schedule.last_task and overlap == 'cancel' and not @{record.held}(task)
      if exclusive and not stops and not (task.queue == schedule.queue and key == exclusive and alone) then
        beside = task
      end
    end
  end
  schedule.unfinished = unfinished
  return last, beside
end

=== firing.plan
function @{firing.plan}(plan, taken)
  local schedule, id, old = plan.schedule, plan.id, plan.old
  local queue = schedule.queue
  @{creation.require_open}(unpack(redis.call('HMGET', @{namespace.meta}, 'settings:' .. queue, 'settings'), 1, 2))
  local options = @{schedules.options}(schedule)
  local guarded = (options.unique or options.needs) and queue
  if old and taken[old.id] or guarded and taken['/' .. queue] then
    return nil
  end
  options.slot, options.notify = plan.fire_time, options.notify or @{settings.get}(queue, 'notify')
  local spec = @{creation.spec}(options)
  local task = { id = id, queue = queue, parameters = schedule.parameters, attempt = '0', created = @{namespace.now},
    foreign = true }
  @{creation.apply}(task, spec)
  if old then
    old.reason = 'a later slot of the schedule ' .. schedule.name
    @{cancelling.plan}(old, old)
  end
  if spec.unique and not (old and old.to == 'cancelled' and @{holdings.name_conflict}(task) == old.id) then
    local other, rival = @{creation.conflict}(task, spec)
    if rival and taken[rival.id] then
      return nil
    elseif rival then
      @{state.plan}(rival, 'cancelled')
      plan.rival = rival
    elseif other then
      plan.other = other
      return plan
    end
  end
  @{namespace.declare}(@{namespace.key}('task', id))
  plan.unknown = not redis.call('ZSCORE', @{namespace.declare}(@{namespace.prefix} .. 'queues'), queue)
  if task.flags then
    @{creation.plan}(task)
  end
  @{state.plan}(task, task.begins)
  plan.task, plan.spec = task, spec
  taken[old and old.id or ''], taken[plan.rival and plan.rival.id or ''],
    taken[guarded and '/' .. queue or ''] = true, true, true
  return plan
end

=== firing.make
function @{firing.make}(plan, why)
  local queue = plan.schedule.queue
  if plan.old and plan.old.to then
    @{cancelling.cancel}(plan.old, plan.old)
  end
  if plan.rival then
    @{state.move}(plan.rival, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. plan.id)
  end
  @{creation.insert}(plan.task, plan.spec, why)
  if plan.unknown then
    redis.call('ZADD', @{namespace.prefix} .. 'queues', 0, queue)
  end
end

=== fixes.begin
function @{fixes.begin}(queue, limit, grace, shared)
  @{namespace.require_settled_slot}()
  return { queue = queue, limit = limit, grace = grace, shared = shared, repaired = 0, suspected = 0,
    valid_claims = {},
    writes = {},
    noted = {},
    leased = false,
    moves = {},
    moved = {},
    entering = {},
    readied = {},
    sets = {},
    discarded = {},
    freed = {},
    recounted = {},
    named = {},
    expired = {},
    unlogged = {},
  }
end

=== fixes.write
function @{fixes.write}(pass, command, key, ...)
  if not pass.noted[key] then
    pass.noted[key] = @{namespace.declare}(key)
  end
  pass.writes[#pass.writes + 1] = { command, key, ... }
end

=== fixes.fix
function @{fixes.fix}(pass, ...)
  @{fixes.write}(pass, ...)
  pass.repaired = pass.repaired + 1
end

=== fixes.find
function @{fixes.find}(pass, id)
  local task = @{record.find}(id, 'updated', 'group', 'tags', 'reclaimed_node', 'lease', 'eta')
  if task and task.queue == '' then
    @{fixes.write}(pass, 'UNLINK', task.key)
    return nil
  end
  return task
end

=== fixes.gone
function @{fixes.gone}(pass, id)
  @{fixes.write}(pass, 'UNLINK', @{namespace.key}('history', id), @{namespace.declare}(@{namespace.key}('log', id)),
    @{namespace.declare}(@{edges.upstreams}(id)), @{namespace.declare}(@{edges.inputs}(id)), @{namespace.declare}(@{fan_in.key}(id)))
  @{fixes.no_deadline}(pass, id)
  if redis.call('ZSCORE', @{tracking.all}(), id) then
    @{fixes.write}(pass, 'ZREM', @{tracking.all}(), id)
  end
  local size = not pass.unlogged[id] and @{logs.size}(id)
  if size then
    pass.unlogged[id] = true
    @{fixes.write}(pass, 'UNLINK', @{namespace.key}('logged', id))
    @{fixes.write}(pass, 'ZREM', @{logs.index}(), id)
    @{fixes.write}(pass, 'HINCRBY', @{namespace.meta}, 'logs', -size)
  end
end

=== fixes.no_deadline
function @{fixes.no_deadline}(pass, id)
  if redis.call('ZSCORE', @{holdings.deadlines}(), id) then
    @{fixes.fix}(pass, 'ZREM', @{holdings.deadlines}(), id)
  end
end

=== fixes.index
function @{fixes.index}(pass, task)
  local tasks = @{namespace.key}('tasks', pass.queue)
  if not redis.call('ZSCORE', tasks, task.id) then
    @{fixes.fix}(pass, 'ZADD', tasks, @{record.created}(task.id), task.id)
  end
end

=== fixes.overdue
function @{fixes.overdue}(pass, field, mark)
  local suspects = @{namespace.key}('suspects', pass.queue)
  local since, before = string.match(redis.call('HGET', suspects, field) or '', '^(%S+) (.*)$')
  if before == mark and tonumber(since) * 1000000 + pass.grace <= @{namespace.now_us} then
    @{fixes.write}(pass, 'HDEL', suspects, field)
    return true
  end
  if before ~= mark then
    @{fixes.write}(pass, 'HSET', suspects, field, @{namespace.now} .. ' ' .. mark)
  end
  pass.suspected = pass.suspected + 1
  return false
end

=== fixes.go_on
function @{fixes.go_on}(position)
  return position == 0 and '00' or string.format('%.0f', position)
end

=== fixes.page
function @{fixes.page}(pass, key, command, position)
  local from, limit = tonumber(position), pass.limit
  local ids = redis.call(command, key, from, from + limit - 1)
  return ids, function(removed)
    return #ids < limit and '0' or @{fixes.go_on}(from + limit - removed)
  end
end

=== fixes.plan
function @{fixes.plan}(pass)
  if #pass.moves > 0 then
    @{state.plan}({ id = '', status = 'pending', queue = pass.queue, foreign = true, from_end = -1 }, 'pending')
    for _, task in ipairs(pass.moves) do
      @{history.plan}(task, 'pending')
      @{tracking.plan_note}(task)
      task.tracked = @{tracking.has}(task)
    end
  end
  if #pass.entering > 0 then
    @{wakeups.plan}(pass.queue)
  end
end

=== fixes.finish
function @{fixes.finish}(pass)
  @{fixes.plan}(pass)
  @{namespace.begin}()
  if pass.leased then
    do
      local us = @{namespace.now_us}
      redis.call('HSET', @{namespace.meta}, 'clock:1', us)
      if @{namespace.gap} then
        redis.call('HSET', @{namespace.meta}, 'gap', string.format('%.0f', @{namespace.gap}))
      end
    end
  end
  for _, task in ipairs(pass.moves) do
    task.front, task.forget = true, { 'token', 'lease', 'request', @{record.attempt_fields}() }
    @{state.move}(task, 'pending', 'repair', '', 'front', '1')
  end
  for _, command in ipairs(pass.writes) do
    redis.call(unpack(command))
  end
  for _, plan in ipairs(pass.readied) do
    @{edge_end.meet}(nil, plan)
    @{state.follow}(plan)
  end
  for _, one in ipairs(pass.sets) do
    @{at_least.write}(one.id, one.set)
  end
  for _, task in ipairs(pass.entering) do
    @{ranking.add}(task)
  end
  for _, ghost in ipairs(pass.discarded) do
    @{ranking.discard}(pass.queue, ghost)
  end
  for _, ended in ipairs(pass.freed) do
    @{held_places.release}(pass.queue, ended.id, ended.token)
  end
  if #pass.moves + #pass.entering + #pass.freed > 0 then
    do
      local queue = pass.queue
      local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
      local value_2_1
      do
        local queue, idle, sets = queue, idle[queue], idle['*']
        if idle then
          redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
        end
        if sets then
          do
            local queue = queue
            local ready = @{namespace.prefix} .. 'ready'
            if not @{namespace.declared} or @{namespace.is_here}(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if sets ~= '' then
            sets = @{wakeups.wake_sets}(sets, queue)
          end
        end
        redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
        value_2_1 = sets
      end
      local sets = value_2_1
      idle[queue], idle['*'] = nil, sets
    end
  end
  for _, name in ipairs(pass.recounted) do
    @{shared_turns.wake}(name, '')
  end
  for nth = 1, #pass.named, 2 do
    @{shared_count.set}(pass.named[nth], pass.named[nth + 1])
  end
  @{shared_define.expire}(pass.expired)
end

=== forecast.recent
function @{forecast.recent}(queue)
  local names = { 'wait.count', 'wait.sum', 'run.count', 'run.sum', unpack(@{statistics.fields}('done')) }
  local kinds, total = {}, {}
  for _, name in ipairs(names) do
    kinds[name] = @{statistics.kind}(name)
  end
  for _, date in ipairs(redis.call('ZREVRANGE', @{namespace.key}('days', queue), 0, 6)) do
    local found = redis.call('HGETALL', @{statistics.key}(queue, date))
    for i = 1, #found, 2 do
      local name = found[i]
      if kinds[name] then
        total[name] = @{statistics.join}(kinds[name], total[name], tonumber(found[i + 1]))
      end
    end
  end
  return total
end

=== forecast.mean
function @{forecast.mean}(total, measure)
  local number = total[measure .. '.count'] or 0
  return number > 0 and total[measure .. '.sum'] / number or nil
end

=== forecast.longer
function @{forecast.longer}(total, elapsed)
  local least, most = total['done.least'], total['done.most']
  if not least or elapsed < least then
    return @{forecast.mean}(total, 'done')
  end
  local low, weight, sum = least, 0, 0
  local bounds = @{statistics.bounds}()
  for i = 1, #bounds + 1 do
    local number = total['done.' .. (bounds[i] or 'over')] or 0
    local from, to = math.max(low, least), math.min(bounds[i] or most, most)
    if number > 0 and to > elapsed then
      local part = from < elapsed and number * (to - elapsed) / (to - from) or number
      weight, sum = weight + part, sum + part * (math.max(from, elapsed) + to) / 2
    end
    low = bounds[i]
  end
  return weight > 0 and sum / weight or nil
end

=== forecast.fraction
function @{forecast.fraction}(text)
  local read, value = pcall(cjson.decode, text or '')
  local part = read and value
  if type(part) == 'table' and part.progress ~= nil then
    part = part.progress
  end
  if type(part) == 'table' then
    local done, whole = tonumber(part.done), tonumber(part.total)
    part = not done and part.fraction or done and whole and whole > 0 and done / whole
  end
  return type(part) == 'number' and part == part and math.max(0, math.min(1, part)) or nil
end

=== forecast.few
@{forecast.few} = 2

=== forecast.duration
function @{forecast.duration}(total, started, fraction, progressed)
  local now = @{namespace.now_us} / 1000000
  local told = math.max(started, math.min(now, progressed or now))
  local by_progress = fraction and fraction > 0 and (told - started) / fraction or nil
  local by_history = @{forecast.longer}(total, now - started)
  if by_progress and by_history then
    local steady = math.min(1, fraction * 10) * (told - started) / math.max(told - started, now - started)
    local runs = total['done.count']
    local weight = (1 - fraction) * (1 - steady) * runs / (runs + @{forecast.few})
    return weight * by_history + (1 - weight) * by_progress, weight < 0.1 and fraction < 1 and 'progress' or 'both'
  end
  return by_progress or by_history, by_progress and 'progress' or by_history and 'history' or ''
end

=== forecast.ends
function @{forecast.ends}(queue, total, busy)
  local ends, number = {}, math.min(busy, 32)
  local now, run = @{namespace.now_us} / 1000000, @{forecast.mean}(total, 'run')
  for _, entry in ipairs(redis.call('SRANDMEMBER', @{namespace.key}('started_tasks', queue), number)) do
    local key = @{namespace.key}('task', string.match(entry, '%S*$'))
    local v = redis.call('HMGET', key, 'started', 'progress', 'progressed')
    local started = tonumber(v[1])
    local took = started and @{forecast.duration}(total, started, @{forecast.fraction}(v[2]), tonumber(v[3]))
    ends[#ends + 1] = took and math.max(now, started + took) or now + run
  end
  while #ends < number do
    ends[#ends + 1] = now + run
  end
  table.sort(ends)
  return ends[1] and ends or { now }
end

=== giving.plan_others
function @{giving.plan_others}(call, taken)
  local prefix = @{namespace.prefix}
  local others = {}
  for i, queue in ipairs(call.queues) do
    local waiting = redis.pcall('LLEN', @{namespace.declare}(prefix .. 'pending_tasks_' .. queue))
    if queue ~= taken and not call.meta[4 * i - 2] and type(waiting) == 'number'
      and (waiting > 0 or redis.call('EXISTS', @{namespace.declare}(prefix .. 'pending_ranked_tasks_' .. queue)) == 1)
      and type(redis.pcall('LLEN', prefix .. 'wake_' .. queue)) == 'number' then
      @{wakeups.plan}(queue)
      others[#others + 1] = queue
    end
  end
  call.others = others[1] and others
end

=== giving.commit
function @{giving.commit}(call, task, fields)
  if call.run then
    @{giving.commit_run}(call)
  else
    if call.ghosts then
      redis.call('ZCARD', @{namespace.prefix} .. 'leases_' .. task.queue)
      @{attempt.clear}(call)
    end
    local lease = call.lease
    if task.flags then
      lease = tonumber(task.own_lease) or lease
    end
    lease = lease or task.set_lease or 60000000
    do
      local task, lease, why, apart, pid = task, lease, 'reserve', call.meta[#call.meta], call.pid
      local listener, length = task.taker, lease == 60000000 and '60000000' or lease
      do
        local task, lease, apart = task, lease, apart
        local us = @{namespace.now_us} + 1
        @{namespace.now_us} = us
        local token, ends = @{namespace.digits}(us), us + lease
        local value_3_1
        do
          local us = ends
          local micros = us % 1000000
          value_3_1 = string.format('%d%06d', (us - micros) / 1000000, micros)
        end
        local deadline = value_3_1
        if apart then
          token = string.format('%.0f', math.max(us, tonumber(apart) + 1))
        end
        task.lease, task.issue, task.ends, task.deadline = lease, token, ends, deadline
        task.attempt = task.attempt == '0' and '1' or string.format('%d', task.attempt + 1)
      end
      local value_2_1
      do
        local task = task
        local since, now = task.since, @{namespace.now}
        if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
          now = since
        end
        value_2_1 = now
      end
      local now = value_2_1
      if pid then
        task.node, task.pid = listener, pid
        @{state.move}(task, 'started', why, listener,
          'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
          'pid', pid, 'started', now)
      else
        @{state.move}(task, 'reserved', why, listener,
          'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
          'reserved', now)
      end
      do
        local token, apart = task.issue, apart
        if apart then
          redis.call('HSET', @{namespace.meta}, 'token', token)
          token = string.format('%.0f', @{namespace.now_us})
        end
        do
          local us = token
          redis.call('HSET', @{namespace.meta}, 'clock:1', us)
          if @{namespace.gap} then
            redis.call('HSET', @{namespace.meta}, 'gap', string.format('%.0f', @{namespace.gap}))
          end
        end
      end
    end
    if call.updates then
      @{attempt.write_updates}(call.updates)
    end
    if call.asked then
      @{attempt.record_served}(call.listener, call.asked, task.queue)
    end
    do
      local call, task, v = call, task, fields
      if call.found then
        @{giving.append}(call.found, task, v)
      else
        call.found = { task.id, task.queue, task.issue, tonumber(task.attempt), task.ends, task.lease,
          v[4] or '', v[8] or '0', v[9] or '0', v[5] or '', v[10] or false }
      end
    end
  end
end

=== giving.commit_run
function @{giving.commit_run}(call)
  local run, lease, pid, listener = call.run, call.lease or 60000000, call.pid, call.listener
  local apart, write, length = call.meta[#call.meta], @{state.record}, string.format('%.0f', lease)
  for i = 1, #run do
    do
      local task, lease, apart = run[i], lease, apart
      local us = @{namespace.now_us} + 1
      @{namespace.now_us} = us
      local token, ends = @{namespace.digits}(us), us + lease
      local value_2_1
      do
        local us = ends
        local micros = us % 1000000
        value_2_1 = string.format('%d%06d', (us - micros) / 1000000, micros)
      end
      local deadline = value_2_1
      if apart then
        token = string.format('%.0f', math.max(us, tonumber(apart) + 1))
      end
      task.lease, task.issue, task.ends, task.deadline = lease, token, ends, deadline
      task.attempt = task.attempt == '0' and '1' or string.format('%d', task.attempt + 1)
    end
    apart = apart and run[i].issue
  end
  @{batch.take}(run, pid)
  for i = 1, #run do
    local task = run[i]
    local value_1_1
    do
      local task = task
      local since, now = task.since, @{namespace.now}
      if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
        now = since
      end
      value_1_1 = now
    end
    local now = value_1_1
    if pid then
      write(task, 'started', 'reserve', listener,
        'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length,
        'request', call.request or '', 'pid', pid, 'started', now)
    else
      write(task, 'reserved', 'reserve', listener,
        'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length,
        'request', call.request or '', 'reserved', now)
    end
    do
      local call, task, v = call, task, task.fields
      if call.found then
        @{giving.append}(call.found, task, v)
      else
        call.found = { task.id, task.queue, task.issue, tonumber(task.attempt), task.ends, task.lease,
          v[4] or '', v[8] or '0', v[9] or '0', v[5] or '', v[10] or false }
      end
    end
  end
  do
    local token, apart = run[#run].issue, apart
    if apart then
      redis.call('HSET', @{namespace.meta}, 'token', token)
      token = string.format('%.0f', @{namespace.now_us})
    end
    do
      local us = token
      redis.call('HSET', @{namespace.meta}, 'clock:1', us)
      if @{namespace.gap} then
        redis.call('HSET', @{namespace.meta}, 'gap', string.format('%.0f', @{namespace.gap}))
      end
    end
  end
end

=== giving.append
function @{giving.append}(found, task, v)
  local n = #found
  found[n + 1], found[n + 2], found[n + 3], found[n + 4] = task.id, task.queue, task.issue, tonumber(task.attempt)
  found[n + 5], found[n + 6] = task.ends, task.lease
  found[n + 7], found[n + 8], found[n + 9] = v[4] or '', v[8] or '0', v[9] or '0'
  found[n + 10], found[n + 11] = v[5] or '', v[10] or false
end

=== graph_release.plan_release
function @{graph_release.plan_release}(graph, limit)
  local left = graph.total - graph.released
  local tasks, outside = {}, {}
  if left > 0 then
    @{namespace.probe}('ZCARD', @{namespace.prefix} .. 'queues')
    local ids = redis.call('LRANGE', @{graphs.tasks}(graph.id), math.max(0, left - limit), left - 1)
    local starts = @{graph_release.starts}(graph, ids, left - #ids)
    local staged, plan, planned, prefix = @{graphs.staged}, @{graph_release.plan_task}, {}, @{namespace.prefix}
    local plan_kind, declared = @{graph_release.plan_kind}, @{namespace.declared}
    for i, id in ipairs(ids) do
      local run = starts[i]
      if run then
        local task = { id = id, key = prefix .. 'task_' .. id, begins = run.to, queue = run.queue, kind = run.kind }
        tasks[#tasks + 1] = task
        if declared or not planned[run.kind] then
          plan_kind(task, planned)
        end
      else
        local task = staged(id, graph.id)
        tasks[#tasks + 1] = task and plan(task, planned)
      end
    end
    graph.released = graph.released + #ids
  else
    outside = @{graph_release.plan_outside}(graph.id, limit)
  end
  return tasks, outside
end

=== graph_release.starts
function @{graph_release.starts}(graph, ids, from)
  local starts, keys, at = {}, {}, 0
  local runs = @{graphs.runs}(redis.call('HGET', @{graphs.key}(graph.id), 'runs'), graph.total)
  for i, id in ipairs(runs and ids or {}) do
    keys[i] = @{namespace.prefix} .. 'task_' .. id
  end
  if not keys[1] or redis.call('EXISTS', unpack(keys)) < #keys then
    return starts
  end
  for _, run in ipairs(runs) do
    run.kind = run.to .. ' ' .. run.queue
    for i = math.max(1, at - from + 1), math.min(#ids, at - from + run.count) do
      starts[i] = run.to ~= '?' and run
    end
    at = at + run.count
  end
  return starts
end

=== graph_release.plan_kind
function @{graph_release.plan_kind}(task, planned)
  if @{namespace.declared} then
    @{namespace.declare}(task.key)
  end
  if not planned[task.kind] then
    planned[task.kind] = true
    @{state.plan}({ queue = task.queue, foreign = true }, task.begins)
  end
end

=== graph_release.plan_task
function @{graph_release.plan_task}(staged, planned)
  local task = { id = staged.id, key = staged.key, queue = staged.queue, flags = staged.flags, attempt = '0',
    foreign = true, created = @{namespace.now} }
  local open = 0
  if string.find(task.flags, 'w', 1, true) then
    open = redis.call('HLEN', @{namespace.declare}(@{edges.upstreams}(task.id)))
    if @{at_least.has}(task) and @{at_least.is_ready}(@{at_least.read}(task.id), open) then
      open, task.drops = 0, true
    end
    local own, slots, bytes = @{namespace.declare}(@{edges.inputs}(task.id)), nil, nil
    if open == 0 then
      slots, bytes = @{edges.input_size}(task.id)
    end
    task.joins = slots and @{fan_in.is_long}(task.id, slots, bytes)
    if slots and not task.joins then
      task.joined, task.lengths = @{fan_in.list}(@{fan_in.collect}(own, slots, {}), slots)
    end
  end
  local later = staged.eta and tonumber(staged.eta) * 1000000 > @{namespace.now_us}
  task.eta = staged.eta
  task.begins = (open > 0 or task.joins) and 'waiting' or later and 'scheduled' or 'pending'
  if string.find(task.flags, '[^gwd]') then
    @{holdings.load}(task)
    task.rank = nil
    @{state.plan}(task, task.begins)
    return task
  end
  task.kind = task.begins .. ' ' .. task.queue
  @{graph_release.plan_kind}(task, planned)
  return task
end

=== graph_release.plan_outside
function @{graph_release.plan_outside}(graph, limit)
  local pairs_of = redis.call('LRANGE', @{namespace.declare}(@{graphs.outside}(graph)), 0, limit - 1)
  local found = {}
  for i, pair in ipairs(pairs_of) do
    local up, id = string.match(pair, '^(%S+) (%S+)$')
    local key = @{namespace.declare}(@{namespace.key}('task', up))
    local v = redis.call('HMGET', key, 'status', 'flags')
    @{namespace.probe}('ZCARD', @{edges.dependents}(up))
    found[i] = { up = up, id = id, there = v[1], ended = @{edges.is_over}(v[1]), key = key,
      flags = v[2] or nil }
  end
  @{namespace.probe}('ZCARD', @{edges.deferred}())
  return found
end

=== graph_release.release
function @{graph_release.release}(graph, tasks, outside)
  local kinds, queues = {}, {}
  for _, task in ipairs(tasks) do
    local same = kinds[task.kind or task.id] or { to = task.begins, queue = task.queue }
    if not same[1] then
      kinds[task.kind or task.id], kinds[#kinds + 1] = same, same
    end
    same[#same + 1] = task
  end
  for _, same in ipairs(kinds) do
    if not queues[same.queue] then
      queues[same.queue] = true
      redis.call('ZADD', @{namespace.prefix} .. 'queues', 'NX', 0, same.queue)
    end
    for _, task in ipairs(same) do
      if task.joins then
        @{fan_in.begin}(task.id)
      elseif task.drops then
        @{at_least.drop}(task.id)
      end
      if task.joined then
        redis.call('UNLINK', @{edges.inputs}(task.id))
        redis.call('HSET', task.key, 'parameters', task.joined, 'slots', task.lengths)
      end
    end
    if same[1].kind then
      @{batch.enter}(same, same.to, 'submit')
    else
      @{state.move}(same[1], same.to, 'submit', '', 'created', @{namespace.now})
    end
    if same.to == 'pending' then
      do
        local queue = same.queue
        local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
        local value_2_1
        do
          local queue, idle, sets = queue, idle[queue], idle['*']
          if idle then
            redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
          end
          if sets then
            do
              local queue = queue
              local ready = @{namespace.prefix} .. 'ready'
              if not @{namespace.declared} or @{namespace.is_here}(ready) then
                redis.pcall('ZADD', ready, '0', queue)
              end
            end
            if sets ~= '' then
              sets = @{wakeups.wake_sets}(sets, queue)
            end
          end
          redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
          value_2_1 = sets
        end
        local sets = value_2_1
        idle[queue], idle['*'] = nil, sets
      end
    end
  end
  for _, edge in ipairs(outside) do
    redis.call('ZADD', @{edges.dependents}(edge.up), @{edges.since}(edge.id), edge.id)
    if edge.ended then
      redis.call('ZADD', @{edges.deferred}(), @{namespace.now}, edge.up)
    end
    if edge.there then
      @{edges.flag}(edge)
    end
  end
  if #tasks + #outside > 0 then
    redis.call('LTRIM', @{graphs.outside}(graph.id), #outside, -1)
    redis.call('HSET', @{graphs.key}(graph.id), 'released', graph.released)
    if tasks[1] and graph.released == graph.total then
      redis.call('HDEL', @{graphs.key}(graph.id), 'runs')
    end
  end
end

=== graph_release.plan_removal
function @{graph_release.plan_removal}(graph, limit)
  @{namespace.declare}(@{graphs.outside}(graph))
  @{namespace.declare}(@{graphs.chosen}(graph))
  local ids = redis.call('LRANGE', @{graphs.tasks}(graph), -limit, -1)
  ids.bytes, ids.untold = 0, {}
  for _, id in ipairs(ids) do
    ids.bytes = ids.bytes + @{graph_release.size}(id)
    @{namespace.declare}(@{namespace.key}('task', id))
    @{namespace.declare}(@{edges.upstreams}(id))
    @{namespace.declare}(@{edges.inputs}(id))
    @{namespace.declare}(@{edges.dependents}(id))
    ids.untold[id] = redis.call('ZSCORE', @{namespace.declare}(@{edges.deferred}()), id)
  end
  local outside = #ids == 0 and @{graph_release.plan_outside}(graph, limit) or {}
  return ids, outside, @{graphs.plan_unlimit}(graph)
end

=== graph_release.size
function @{graph_release.size}(id)
  local key = @{namespace.key}('task', id)
  return redis.call('HSTRLEN', key, 'parameters') + redis.call('HSTRLEN', key, 'inputs')
    + tonumber(redis.call('HGET', @{edges.inputs}(id), 'bytes') or 0)
end

=== graph_release.remove
function @{graph_release.remove}(graph, ids, outside, bounds)
  for _, id in ipairs(ids) do
    redis.call('UNLINK', @{namespace.key}('task', id), @{edges.upstreams}(id), @{edges.inputs}(id))
    if not ids.untold[id] then
      redis.call('ZREMRANGEBYSCORE', @{edges.dependents}(id), '(0', '(inf')
    end
    redis.call('RPOP', @{graphs.tasks}(graph))
  end
  if ids[1] then
    redis.call('HINCRBY', @{graphs.key}(graph), 'staged', -#ids)
    redis.call('HINCRBY', @{graphs.key}(graph), 'bytes', 0 - ids.bytes)
  end
  for _, edge in ipairs(outside) do
    if redis.call('ZSCORE', @{edges.dependents}(edge.up), edge.id) == '-inf' then
      redis.call('ZREM', @{edges.dependents}(edge.up), edge.id)
    end
  end
  redis.call('LTRIM', @{graphs.outside}(graph), #outside, -1)
  if #ids + #outside == 0 then
    @{graphs.unlimit}(bounds)
    redis.call('UNLINK', @{graphs.key}(graph), @{graphs.chosen}(graph))
    redis.call('ZREM', @{graphs.due}(), graph)
    redis.call('ZREM', @{graphs.all}(), graph)
  end
end

=== graphs.key
function @{graphs.key}(graph)
  return @{namespace.key}('graph', graph)
end

=== graphs.tasks
function @{graphs.tasks}(graph)
  return @{namespace.key}('members', graph)
end

=== graphs.outside
function @{graphs.outside}(graph)
  return @{namespace.key}('outside', graph)
end

=== graphs.due
function @{graphs.due}()
  return @{namespace.prefix} .. 'graphs_due'
end

=== graphs.chosen
function @{graphs.chosen}(graph)
  return @{namespace.key}('chosen', graph)
end

=== graphs.all
function @{graphs.all}()
  return @{namespace.prefix} .. 'graphs'
end

=== graphs.find
function @{graphs.find}(id)
  local v = redis.call('HMGET', @{namespace.declare}(@{graphs.key}(id)), 'state', 'created', 'total', 'name', 'released')
  return v[1] and { id = id, state = v[1], created = v[2], total = tonumber(v[3]), name = v[4] or '',
    released = tonumber(v[5] or 0) } or nil
end

=== graphs.on_failure
function @{graphs.on_failure}(id)
  if not id then
    return false
  end
  local known = @{namespace.shared}('on_failure')
  known[id] = known[id] or redis.call('HGET', @{graphs.key}(id), 'on_failure') or 'cancel'
  return known[id]
end

=== graphs.is_created
function @{graphs.is_created}(id)
  return redis.call('HGET', @{graphs.key}(id), 'state') == 'created'
end

=== graphs.require
function @{graphs.require}(id, tasks)
  if not @{graphs.is_created}(id) then
    @{namespace.check_slot}(@{graphs.key}(id))
    @{reply.fail}('NOTASK', 'no graph has this id: it was never submitted, or all its tasks were deleted')
  end
  for _, task in ipairs(tasks or {}) do
    if redis.call('HGET', @{namespace.key}('task', task), 'graph') ~= id then
      @{reply.fail}('NOTASK', 'the graph has no such task, or it was deleted')
    end
  end
end

=== graphs.walk_fields
function @{graphs.walk_fields}()
  return 'doing', 'at', 'task', 'reason', 'force', 'changed', 'refused', 'part', 'end_by'
end

=== graphs.plan_walk
function @{graphs.plan_walk}(id)
  @{namespace.probe}('HLEN', @{graphs.key}(id))
  @{namespace.probe}('ZCARD', @{graphs.due}())
  @{namespace.probe}('ZCARD', @{graphs.chosen}(id))
end

=== graphs.begin_walk
function @{graphs.begin_walk}(id, doing, ...)
  @{graphs.set_walk}(id, doing, ...)
  redis.call('UNLINK', @{graphs.chosen}(id))
end

=== graphs.set_walk
function @{graphs.set_walk}(id, doing, ...)
  redis.call('HDEL', @{graphs.key}(id), @{graphs.walk_fields}())
  redis.call('HSET', @{graphs.key}(id), 'doing', doing, 'at', '0', ...)
  redis.call('ZADD', @{graphs.due}(), @{namespace.now}, id)
end

=== graphs.begin_rerun
function @{graphs.begin_rerun}(id, tasks, known, end_by)
  local merges = known[1] == 'mark_rerun' or known[1] == 'rerun'
  if not merges then
    redis.call('UNLINK', @{graphs.chosen}(id))
  end
  local last = end_by or merges and known[2]
  @{graphs.set_walk}(id, 'mark_rerun', unpack(last and { 'end_by', last } or {}))
  for _, task in ipairs(tasks) do
    redis.call('ZADD', @{graphs.chosen}(id), '2', task)
  end
end

=== graphs.plan_repair
function @{graphs.plan_repair}(task)
  local known = redis.call('HMGET', @{graphs.key}(task.graph), 'doing', 'failed', 'cancelled', 'skipped')
  if (not known[1] or known[1] == 'repair') and (known[2] or 0) + (known[3] or 0) + (known[4] or 0) > 1 then
    @{graphs.plan_walk}(task.graph)
    task.repairs = true
  end
end

=== graphs.is_rerun
function @{graphs.is_rerun}(graph, id)
  local doing = redis.call('HGET', @{graphs.key}(graph), 'doing')
  return (doing == 'rerun' or doing == 'mark_rerun')
    and tonumber(redis.call('ZSCORE', @{graphs.chosen}(graph), id) or 0) > 0
end

=== graphs.staged
function @{graphs.staged}(id, graph)
  local key = @{namespace.prefix} .. 'task_' .. id
  if @{namespace.declared} then
    @{namespace.declare}(key)
  end
  local v = redis.call('HMGET', key, 'status', 'graph', 'queue', 'flags', 'eta')
  if v[1] or not v[2] or graph and v[2] ~= graph then
    return nil
  end
  return { id = id, key = key, status = 'staged', queue = v[3], flags = v[4] or '', eta = v[5] or nil, extra = {} }
end

=== graphs.coming
function @{graphs.coming}(id)
  local graph = redis.call('HGET', @{namespace.key}('task', id), 'graph')
  return graph and @{graphs.is_created}(graph) and @{graphs.staged}(id, graph) or nil
end

=== graphs.upstream
function @{graphs.upstream}(id)
  return @{record.find}(id) or @{graphs.coming}(id) or { id = id, status = 'deleted' }
end

=== graphs.counted
function @{graphs.counted}(length)
  return length >= 256 and length or 0
end

=== graphs.most
function @{graphs.most}()
  return @{settings.get}('*', 'graph_bytes')
end

=== graphs.has_room
function @{graphs.has_room}(id, bytes)
  local known = @{namespace.shared}('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', @{namespace.declare}(@{graphs.key}(id)), 'bytes') or 0)) + bytes
  if all > tonumber(@{graphs.most}()) then
    return false
  end
  known[id] = all
  return true
end

=== graphs.is_released
function @{graphs.is_released}(id)
  local v = redis.call('HMGET', @{graphs.key}(id), 'released', 'total')
  return v[1] == v[2]
end

=== graphs.runs
function @{graphs.runs}(text, number)
  local runs, all = {}, 0
  for to, count, queue in string.gmatch(text or '', '(%S+)/(%d+)/(%S+)') do
    runs[#runs + 1] = { to = to, count = tonumber(count), queue = queue }
    all = all + runs[#runs].count
  end
  return all == number and runs or nil
end

=== graphs.unlimit
function @{graphs.unlimit}(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end

=== graphs.plan_unlimit
function @{graphs.plan_unlimit}(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', @{graphs.key}(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = @{namespace.key}('limits', queue), key = key }
    @{namespace.probe}('HLEN', bounds[#bounds].limits)
  end
  return bounds
end

=== graphs.plan_end
function @{graphs.plan_end}(task, to)
  local notify = redis.call('HGET', @{namespace.declare}(@{graphs.key}(task.graph)), 'notify')
  local owner = notify and @{notices.owner}('graph', task.graph)
  if notify and (@{contract.is_final}(to) or to == 'deleted') then
    task.graph_notices = @{notices.plan_for}(owner, notify)
    task.graph_unsent = to == 'deleted' and @{notices.plan_removal}(owner)
  end
end

=== graphs.notify
function @{graphs.notify}(task, key)
  local v = redis.call('HMGET', key, 'complete', 'failed', 'cancelled', 'skipped', 'left')
  local complete, failed, cancelled = tonumber(v[1] or 0), tonumber(v[2] or 0), tonumber(v[3] or 0)
  local skipped = tonumber(v[4] or 0)
  if complete + failed + cancelled + skipped == tonumber(v[5]) then
    @{notices.append}(task.graph_notices, failed > 0 and 'failed' or cancelled > 0 and 'cancelled' or 'complete',
      @{namespace.now}, '0', '-', 'end', '-', string.format('%d complete, %d failed, %d cancelled', complete, failed,
      cancelled) .. (skipped > 0 and string.format(', %d skipped', skipped) or ''))
  end
end

=== graphs.outcome
function @{graphs.outcome}(status, flags)
  return status == 'cancelled' and string.find(flags or '', 'x', 1, true) and 'skipped' or status
end

=== graphs.count
function @{graphs.count}(task, to)
  local key = @{graphs.key}(task.graph)
  if @{contract.is_final}(to) then
    redis.call('HINCRBY', key, @{graphs.outcome}(to, task.flags), 1)
  end
  if task.status and @{contract.is_final}(task.status) then
    redis.call('HINCRBY', key, @{graphs.outcome}(task.status, task.flags), -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    @{graphs.unlimit}(task.bounds)
    redis.call('UNLINK', key, @{graphs.tasks}(task.graph), @{graphs.chosen}(task.graph))
    redis.call('ZREM', @{graphs.all}(), task.graph)
    if task.graph_notices then
      @{notices.forget}(task.graph_notices.owner, task.graph_unsent)
    end
  elseif task.graph_notices and not @{contract.is_final}(task.status) then
    @{graphs.notify}(task, key)
  end
end

=== graphs.whole
function @{graphs.whole}(id)
  local key = @{namespace.prefix} .. 'task_' .. id
  local fields = redis.call('HGETALL', key)
  if #fields == 0 then
    @{namespace.check_slot}(key)
    return false
  end
  local status, stored, ended = nil, nil, nil
  for i = 1, #fields, 2 do
    local name = fields[i]
    status, stored, ended = status or name == 'status', stored or name == 'outcome', ended or name == 'ended'
  end
  if status and ended and not stored then
    fields[#fields + 1], fields[#fields + 2] = 'outcome', @{record.outcome}(nil, true)
  end
  if status then
    return fields
  end
  local graph = redis.call('HGET', key, 'graph')
  if graph then
    fields[#fields + 1], fields[#fields + 2] = 'status', 'waiting'
    return @{graphs.is_created}(graph) and fields or false
  end
  return fields
end

=== groups.name
function @{groups.name}(value, what)
  if value == '' or #value <= 128 and string.find(value, '^[%w._:@-]+$') then
    return value
  end
  @{args.bytes}(value, 65536, what)
  local text = @{groups.common}(string.sub(value, 1, 4096))
  return #text > 512 and @{groups.common}(string.sub(text, 1, 512)) or text
end

=== groups.common
function @{groups.common}(text)
  text = string.gsub(string.gsub(text, '[%z\1-\32\127]+', ' '), '[\128-\255]+', @{groups.readable})
  for _ = 1, 8 do
    local last = text
    text = string.gsub(string.gsub(text, '[%w._:@+-]+', @{groups.word}), '#[#.,:+-]*#', '#')
    if text == last then
      break
    end
  end
  return (string.gsub(string.gsub(text, '^ ', ''), ' $', ''))
end

=== groups.readable
function @{groups.readable}(bytes)
  return (string.gsub(bytes, '([\192-\255]?)([\128-\191]*)', function(head, rest)
    local first = string.byte(head) or 0
    local size = (first < 194 or first > 244) and 0 or first < 224 and 1 or first < 240 and 2 or 3
    local second = string.byte(rest) or 0
    local low = first == 224 and 160 or first == 240 and 144 or 128
    local high = first == 237 and 159 or first == 244 and 143 or 191
    if head .. rest ~= '' and (size == 0 or #rest ~= size or second < low or second > high) then
      return '?'
    end
  end))
end

=== groups.word
function @{groups.word}(word)
  if string.find(word, '%w@%w') or string.find(word, '%d') and string.find(word, '^[%x:][%x:.]*[%x:]$')
    and string.find(word, ':[%x.]*:') then
    return '#'
  elseif string.find(word, '%d') then
    return (string.gsub(string.gsub(word,
      '%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x', '#'), '%w+', @{groups.part}))
  end
end

=== groups.part
function @{groups.part}(part)
  local unit = string.match(part, '^%d+(%a?%a?%a?)$')
  local _, digits = string.gsub(part, '%d', '')
  if digits == 0 then
    return nil
  elseif unit then
    return '#' .. unit
  elseif string.find(part, '^%d') or #part >= 8 and string.find(part, '^%x+$') or #part >= 16 and digits >= 4 then
    return '#'
  end
end

=== groups.key
function @{groups.key}(queue, group)
  if #group > 128 or string.find(group, '[^%w._:@-]') then
    group = '~' .. redis.sha1hex(group)
  end
  return @{namespace.prefix} .. 'group_' .. queue .. '/' .. group
end

=== groups.plan
function @{groups.plan}(task, to)
  if to ~= 'failed' then
    task.group = redis.call('HGET', @{namespace.prefix} .. 'task_' .. task.id, 'group') or ''
  end
  local key = @{groups.key}(task.queue, task.group or '')
  @{namespace.probe}('ZCARD', @{namespace.key}('groups', task.queue))
  @{namespace.probe}('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end

=== groups.enter
function @{groups.enter}(task, now)
  local group = task.group or ''
  local key = @{groups.key}(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', @{namespace.key}('groups', task.queue), redis.call('ZCARD', key), group)
end

=== groups.leave
function @{groups.leave}(task)
  if task.group then
    @{tags.remove}(@{groups.key}(task.queue, task.group), @{namespace.key}('groups', task.queue), task.group, task.id)
  end
end

=== held_places.take
function @{held_places.take}(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = @{namespace.key}('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    @{shared_turns.take}(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = @{limits.of_key}(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', @{namespace.key}('turns', queue), key, @{fairness.rank}(@{namespace.now_us}))
    @{limits.record_start}(@{limits.starts_key}(queue, key), rate, string.format('%.0f', @{namespace.now_us}))
  end
end

=== held_places.release
function @{held_places.release}(queue, id, token)
  local held, member = @{namespace.key}('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key, shared = string.match(redis.call('HGET', held, member) or '', '^(%d+) (%S*) ?(%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', held, member)
  if shared ~= '' then
    @{shared_turns.release}(shared, queue)
  end
  local counts = { extra = weight - 1 }
  if key ~= '' then
    counts['k:' .. key] = tonumber(weight)
  end
  for field, count in pairs(counts) do
    if count > 0 and redis.call('HINCRBY', held, field, -count) <= 0 then
      redis.call('HDEL', held, field)
    end
  end
  if key ~= '' then
    @{fairness.refresh_all}(queue, key)
  end
end

=== held_places.plan_released
function @{held_places.plan_released}(queue, attempts)
  local keys = {}
  for _, ended in ipairs(attempts) do
    local held = redis.call('HGET', @{namespace.key}('places', queue), 'a:' .. ended.id .. ' ' .. ended.token)
    local key, shared = string.match(held or '', '^%d+ (%S*) ?(%S*)$')
    keys[#keys + 1] = key ~= '' and key or nil
    if shared and shared ~= '' then
      @{shared_turns.plan}(shared, queue)
    end
  end
  @{fairness.plan_refresh}(queue, keys)
end

=== history.fields
function @{history.fields}()
  return 'status', 'created', 'promoted', 'reserved', 'started', 'updated', 'node', 'attempt', 'outcome', 'group',
    'error', 'schedule', 'slot',
    'ended', 'cost', 'cost_of', 'readied'
end

=== history.last
function @{history.last}(key, created)
  local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  local v = entry and entry[2]
  if not v or tonumber(v[2]) < (tonumber(created) or 0) then
    return 0, 0, '', 0, v ~= nil, ''
  end
  return tonumber(string.match(entry[1], '^%d+')), tonumber(v[2]) or 0, v[6], tonumber(v[8]) or 0, false, v[12]
end

=== history.derive
function @{history.derive}(v, since, reached, nth, cause)
  local status, created, promoted, reserved, started, updated, node, number, outcome, group, text, schedule, slot,
    ended, cost, cost_of, readied = unpack(v, 1, 17)
  local found = {}
  outcome = @{record.outcome}(outcome, ended)
  cost = ended and ended == cost_of and cost or ''
  local noted = cause == 'note' and reached
  readied = readied and (tonumber(readied) >= since or noted == 'waiting') and readied
  promoted = promoted and (tonumber(promoted) >= since or noted == 'scheduled'
    or noted == 'waiting' and readied and tonumber(promoted) >= tonumber(readied)) and promoted
  number, node = number or '0', node or ''
  local function step(at, to, by, why, ...)
    found[#found + 1] = { at or '', reached, to, (reached == '' or reached == 'moved') and tostring(nth) or number,
      by, why, ... }
    reached = to
  end
  if reached == '' or reached == 'moved' then
    local moved = reached == 'moved'
    local why = moved and ((cause == 'next' or cause == 'again') and cause or 'move')
      or schedule and (slot and 'schedule' or 'run_schedule') or 'submit'
    step(moved and @{namespace.decimal}(since * 1000000) or created,
      readied and 'waiting' or promoted and 'scheduled' or @{contract.is_waiting}(status) and status or 'pending',
      '', why, '', '', '', '')
  end
  if reached == 'waiting' and readied then
    reached = (promoted or status == 'scheduled') and 'scheduled' or 'pending'
    found[#found + 1] = { readied, 'waiting', reached, tostring(nth), '', 'ready', '', '', '', '' }
  end
  if reached == 'scheduled' and status ~= 'scheduled' and promoted then
    found[#found + 1] = { promoted, reached, 'pending', tostring(nth), '', 'promote', '', '', '', '' }
    reached = 'pending'
  end
  if reached == 'pending' and tonumber(number) > nth then
    if reserved or not started then
      step(reserved, 'reserved', node, 'reserve', '', '', '', '')
    else
      step(started, 'started', node, 'reserve', '', '', '', '')
    end
  end
  if reached == 'reserved' and started then
    step(started, 'started', node, 'start', '', '', '', '')
  end
  if reached == status then
    return found
  end
  if (reached == 'reserved' or reached == 'started') and status == outcome then
    step(updated, status, node, status == 'failed' and 'fail' or status, outcome,
      status == 'failed' and group or '', status == 'failed' and string.sub(text or '', 1, 256) or '', cost)
  elseif reached == 'pending' and status == 'cancelled' then
    step(updated, status, '', 'cancel', '', '', '', '')
  else
    step(updated, status, '', '', '', '', '', '')
  end
  return found
end

=== history.plan
function @{history.plan}(task, to)
  if to == 'deleted' then
    @{namespace.declare}(@{namespace.key}('history', task.id))
  elseif task.status then
    local key = @{namespace.key}('history', task.id)
    @{namespace.probe}('XLEN', key)
    if @{namespace.declared} and select(5, @{history.last}(key, @{record.created}(task.id))) then
      @{namespace.require_settled_slot}()
    end
  end
end

=== history.archive
function @{history.archive}(task, event, ...)
  local from, to, why = task.status, event.to, event.why
  if (why == 'fail' and to == 'failed') or (why == 'promote' and from == 'scheduled') or why == 'ready'
    or (why == 'cancel' and from == 'pending') then
    return
  end
  local outcome, group, text, cost = to == 'reserved' and 'lost' or '', '', '', ''
  local fields = { ... }
  for i = 1, #fields, 2 do
    if fields[i] == 'outcome' then
      outcome = fields[i + 1]
    elseif fields[i] == 'group' or fields[i] == 'last_group' then
      group = fields[i + 1]
    elseif fields[i] == 'error' or fields[i] == 'last_error' then
      text = string.sub(fields[i + 1], 1, 256)
    elseif fields[i] == 'cost' then
      cost = fields[i + 1]
    end
  end
  if from ~= 'reserved' and from ~= 'started' then
    outcome, group, text, cost = '', '', '', ''
  end
  event.note = task.note
  @{history.add}(task, event, outcome, group, text, cost)
end

=== history.add
function @{history.add}(task, event, outcome, group, text, cost)
  local key = @{namespace.key}('history', task.id)
  local told = redis.call('HMGET', @{namespace.key}('task', task.id), @{history.fields}())
  local number, since, reached, nth, stale, cause = @{history.last}(key, told[2])
  if stale then
    redis.call('UNLINK', key)
  end
  local kept = @{history.derive}(told, since, reached, nth, cause)
  kept[#kept + 1] = { event.at, task.status, event.to, task.attempt, event.by, event.why, outcome, group, text, cost,
    unpack(event.note or {}) }
  local most = @{settings.get}(task.queue, 'history')
  for i, v in ipairs(kept) do
    redis.call('XADD', key, 'MAXLEN', most, string.format('%.0f-0', number + i),
      'at', v[1], 'from', v[2], 'to', v[3], 'attempt', v[4], 'by', v[5], 'why', v[6], 'outcome', v[7], 'group', v[8],
      'error', v[9], 'cost', v[10], unpack(v, 11))
  end
end

=== holding.refuse
function @{holding.refuse}(task)
  if task.status == 'waiting' then
    return 'STATE', 'the task waits for other tasks: hold it when it is pending, or hold a task that it waits for'
  elseif @{record.held}(task) then
    return 'STATE', 'the task is ' .. task.status .. ': suspend it, or requeue it and then hold it'
  end
  return @{actions.refuse}(task, 'scheduled or pending')
end

=== holding.plan
function @{holding.plan}(task, spec)
  if task.status == 'held' then
    return
  elseif task.status ~= 'pending' and task.status ~= 'scheduled' then
    return @{holding.refuse}(task)
  end
  task.forget = { 'readied', 'promoted' }
  @{actions.plan}(task, 'held', spec)
end

=== holding.hold
function @{holding.hold}(task, spec)
  @{state.move}(task, 'held', 'hold', spec.by or '', 'held_by', spec.by or '')
end

=== holding.plan_release
function @{holding.plan_release}(task, spec)
  if task.status ~= 'held' then
    return @{actions.refuse}(task, 'held')
  end
  local eta, front, retry_eta = task.extra[3], task.extra[4], task.extra[5]
  if task.flags then
    @{holdings.load}(task)
  end
  task.eta = eta
  if tonumber(eta or 0) * 1000000 > @{namespace.now_us} then
    return @{actions.plan}(task, 'scheduled', spec)
  end
  if retry_eta then
    task.forget = { 'eta', 'retry_eta' }
  end
  task.front = front and true
  task.turn = front and tonumber(redis.call('HGET', task.key, 'ended') or nil)
  @{actions.plan}(task, 'pending', spec)
end

=== holding.release
function @{holding.release}(task, spec)
  @{state.move}(task, task.to, 'unhold', spec.by or '')
  spec.wakes = task.to == 'pending' and task.queue or spec.wakes
end

=== holdings.deadlines
function @{holdings.deadlines}()
  return @{namespace.prefix} .. 'deadlines'
end

=== holdings.load
function @{holdings.load}(task)
  if task.bound then
    return
  end
  if not string.find(task.flags, '[^wdgoacnmx]') then
    task.bound, task.tracked = true, string.find(task.flags, 'o', 1, true)
    task.graph = string.find(task.flags, 'g', 1, true)
      and redis.call('HGET', @{namespace.prefix} .. 'task_' .. task.id, 'graph') or nil
    if string.find(task.flags, 'n', 1, true) then
      @{holdings.load_notify}(task)
    end
    return
  end
  local names = { 'priority', 'fair_key', 'weight', 'needs', 'rank', 'unique', 'till', 'tags', 'own_lease', 'exclusive',
    'graph', 'end_by', 'shared' }
  local v = redis.call('HMGET', @{namespace.prefix} .. 'task_' .. task.id,
    'priority', 'key', 'weight', 'needs', 'rank', 'unique', 'unique_until', 'tags', 'own_lease', 'exclusive',
    'graph', 'deadline', 'limits')
  do
    local task = task
    task.bound = true
    task.ranked = string.find(task.flags, 'r', 1, true) and true
    task.limited = string.find(task.flags, 'p', 1, true) and true
    task.tracked = string.find(task.flags, 'o', 1, true)
  end
  for i = 1, #names do
    if v[i] then
      task[names[i]] = v[i]
    end
  end
  if string.find(task.flags, 'n', 1, true) then
    @{holdings.load_notify}(task)
  end
end

=== holdings.load_notify
function @{holdings.load_notify}(task)
  local key = @{namespace.prefix} .. 'task_' .. task.id
  if not string.find(task.flags, 'm', 1, true) then
    task.notify = redis.call('HGET', key, 'notify') or nil
    return
  end
  local v = redis.call('HMGET', key, 'notify', 'deadline', 'waited')
  task.notify, task.watch = v[1] or nil, @{watches.of}(v[1], v[2], v[3])
end

=== holdings.assign
function @{holdings.assign}(task, bound)
  do
    local task = task
    task.bound = true
    task.ranked = string.find(task.flags, 'r', 1, true) and true
    task.limited = string.find(task.flags, 'p', 1, true) and true
    task.tracked = string.find(task.flags, 'o', 1, true)
  end
  for name, value in pairs(bound) do
    task[name] = value
  end
end

=== holdings.name_holders
function @{holdings.name_holders}(queue, name)
  local v = redis.call('HMGET', @{namespace.declare}(@{namespace.key}('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end

=== holdings.has_latest_policy
function @{holdings.has_latest_policy}(task)
  return task.exclusive and task.unique and task.unique == task.fair_key
end

=== holdings.still_holds_name
function @{holdings.still_holds_name}(queue, id, name, till)
  local status, where, own = unpack(redis.call('HMGET', @{namespace.declare}(@{namespace.prefix} .. 'task_' .. id),
    'status', 'queue', 'unique'))
  if where ~= queue or own ~= (till == 'kept' and string.sub(name, 2) or name) then
    return false
  end
  return @{contract.is_waiting}(status)
    or till ~= 'kept' and (status == 'reserved' or status == 'started' and till ~= 'start')
end

=== holdings.name_conflict
function @{holdings.name_conflict}(task)
  local id, till = @{holdings.name_holders}(task.queue, task.unique)
  if not id or id == task.id then
    return nil
  elseif tonumber(till) then
    return tonumber(till) > @{namespace.now_us} and id or nil
  end
  return @{holdings.still_holds_name}(task.queue, id, task.unique, till) and id or nil
end

=== holdings.drained_at_checkpoint
function @{holdings.drained_at_checkpoint}(task, reason)
  if reason ~= 'drain' then
    local given = redis.call('HMGET', @{namespace.declare}(@{orders.key}(task.queue)), 'q', 'l:' .. task.node,
      't:' .. task.id)
    if not given[1] and not given[2] and given[3] ~= 'stop' then
      return false
    end
  end
  return redis.call('HEXISTS', @{namespace.prefix} .. 'task_' .. task.id, 'checkpoint') == 1
end

=== holdings.state_after_release
function @{holdings.state_after_release}(task, to, reason)
  if not task.flags or not string.find(task.flags, 'u') then
    return to
  end
  @{holdings.load}(task)
  if not @{holdings.has_latest_policy}(task) then
    return to
  end
  local field = task.queue .. ' ' .. task.unique
  local taken = @{namespace.shared}('taken_names')
  local _, _, kept = @{holdings.name_holders}(task.queue, task.unique)
  if reason and not @{holdings.waiting_attempt}(task, kept) and @{holdings.drained_at_checkpoint}(task, reason) then
    task.keeps = true
    return to
  end
  task.replaced = taken[field] or @{holdings.name_conflict}(task)
  if task.replaced and task.replaced == @{namespace.shared}('freed_names')[field] then
    task.replaced = nil
  end
  taken[field] = taken[field] or task.id
  return task.replaced and 'cancelled' or to
end

=== holdings.cancel_reason
function @{holdings.cancel_reason}(task)
  if task.replaced then
    return 'reason', 'replaced by ' .. task.replaced
  end
end

=== holdings.waiting_attempt
function @{holdings.waiting_attempt}(task, id)
  local other = id and id ~= task.id and @{record.find}(id)
  if other and other.queue == task.queue and @{contract.is_waiting}(other.status) then
    @{holdings.load}(other)
    return other.unique == task.unique and other or nil
  end
end

=== holdings.elsewhere
function @{holdings.elsewhere}(task, queue, created)
  local other = { id = task.id, key = task.key or @{namespace.key}('task', task.id), queue = queue,
    attempt = task.attempt, since = task.since, flags = task.flags, foreign = true, created = created or '0' }
  if other.flags then
    @{holdings.load}(other)
    other.rank = nil
    other.left = other.watch and { watch = other.watch, status = task.status }
    @{holdings.transfer_name}(task, other)
  end
  return other
end

=== holdings.transfer_name
function @{holdings.transfer_name}(task, other)
  if not other.unique then
    return
  end
  local id, till = @{holdings.name_holders}(task.queue, other.unique)
  local holds = id == task.id
  if tonumber(other.till) then
    other.ends = holds and tonumber(till) and tonumber(till) > @{namespace.now_us} and till or nil
    holds = other.ends ~= nil
  else
    holds = holds or other.till == 'end' or @{holdings.has_latest_policy}(other) or @{contract.is_final}(task.status)
  end
  other.unique = holds and other.unique or nil
end

=== holdings.opens_or_closes
function @{holdings.opens_or_closes}(task, to)
  return not task.status or @{contract.is_final}(task.status) or @{contract.is_final}(to) or to == 'deleted'
end

=== holdings.plan
function @{holdings.plan}(task, to, taker)
  @{holdings.load}(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.ranked and (task.rank or to == 'pending') or task.limited and (held or taker) then
    @{ranking.plan}(task)
  end
  if task.limited and held and taker then
    @{namespace.require_settled_slot}()
  end
  if task.shared and (taker or held and to ~= 'started') then
    @{shared_turns.plan}(task.shared, not taker and task.queue)
  end
  if task.shared and (@{holdings.opens_or_closes}(task, to) or to == 'moved') then
    @{holdings.plan_shared}(to)
  end
  if task.unique then
    @{holdings.plan_name}(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    @{tags.plan}(task.queue, task.tags)
  end
  if to == 'deleted' and string.find(task.flags, '[wd]') then
    @{edge_end.plan_removal}(task)
  end
  if task.graph and task.status and @{holdings.opens_or_closes}(task, to) then
    @{graphs.plan_end}(task, to)
    @{namespace.probe}('ZCARD', @{graphs.all}())
    @{namespace.declare}(@{graphs.tasks}(task.graph))
    @{namespace.declare}(@{graphs.chosen}(task.graph))
    task.bounds = to == 'deleted' and @{graphs.plan_unlimit}(task.graph) or nil
  end
  if task.graph and task.status == 'waiting' and (to == 'failed' or to == 'cancelled') then
    @{edge_end.plan_cascade}(task)
  end
  if task.end_by and @{holdings.opens_or_closes}(task, to) then
    @{namespace.probe}('ZCARD', @{holdings.deadlines}())
  end
  if string.find(task.flags, 'd', 1, true) and task.status and not @{contract.is_final}(task.status)
    and (@{contract.is_final}(to) or to == 'deleted') then
    @{edge_end.plan_end}(task, to)
  end
  if task.tracked then
    @{tracking.plan}()
  end
  if task.watch or task.left then
    @{namespace.probe}('ZCARD', @{watches.key}())
    if task.watch and task.status == 'pending' and to ~= 'pending' then
      @{notices.plan_late}(task)
    end
  end
  if @{controls.has}(task) and to ~= 'started' then
    @{orders.plan}(task.queue)
  end
  if (@{contract.is_final}(to) or to == 'deleted') and string.find(task.flags, 'n', 1, true) then
    @{notices.plan}(task, to)
  end
  if string.find(task.flags, 'a', 1, true) and task.status and (@{contract.is_final}(to) or to == 'deleted') then
    @{queued_round.plan_end}(task, to)
  end
end

=== holdings.plan_shared
function @{holdings.plan_shared}(to)
  if to == 'moved' then
    @{namespace.require_settled_slot}()
  end
  @{shared_count.plan}()
end

=== holdings.plan_name
function @{holdings.plan_name}(task, to)
  local taken = @{record.takes}(task, to) and @{holdings.has_latest_policy}(task)
  if (to == 'reserved' or to == 'started') and not taken and not (to == 'started' and task.till == 'start') then
    return
  end
  @{namespace.probe}('HLEN', @{namespace.key}('unique', task.queue))
  if tonumber(task.till) then
    @{namespace.probe}('ZCARD', @{namespace.key}('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = @{holdings.name_holders}(task.queue, task.unique)
  if task.holder == task.id and @{contract.is_final}(to) and not tonumber(task.till) then
    @{namespace.shared}('freed_names')[task.queue .. ' ' .. task.unique] = task.id
  end
  if taken and task.status == 'pending' then
    task.older = @{holdings.waiting_attempt}(task, task.kept)
  end
end

=== holdings.take_name
function @{holdings.take_name}(task)
  local unique, till = @{namespace.key}('unique', task.queue), task.till
  if task.keeps then
    redis.call('HSET', unique, '/' .. task.unique, task.id .. ' kept')
    return
  elseif tonumber(till) then
    till = task.ends or string.format('%.0f', @{namespace.now_us} + tonumber(till) * 1000000)
    redis.call('ZADD', @{namespace.key}('timed', task.queue), till, task.unique)
  end
  redis.call('HSET', unique, task.unique, task.id .. ' ' .. till)
end

=== holdings.release_name
function @{holdings.release_name}(task, to)
  local unique, timed = @{namespace.key}('unique', task.queue), tonumber(task.held_till)
  if task.holder == task.id and (not timed or to == 'moved') then
    redis.call('HDEL', unique, task.unique)
    if timed then
      redis.call('ZREM', @{namespace.key}('timed', task.queue), task.unique)
    end
  end
  if task.kept == task.id then
    redis.call('HDEL', unique, '/' .. task.unique)
  end
end

=== holdings.expired_names
function @{holdings.expired_names}(queue, limit)
  @{namespace.probe}('HLEN', @{namespace.key}('unique', queue))
  local timed = @{namespace.declare}(@{namespace.key}('timed', queue))
  local expired = {}
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', timed, '-inf', string.format('%.0f', @{namespace.now_us}),
    'LIMIT', 0, limit)) do
    local _, till = @{holdings.name_holders}(queue, name)
    expired[#expired + 1] = { name = name, free = tonumber(till) and tonumber(till) <= @{namespace.now_us} }
  end
  return expired
end

=== holdings.release_expired_names
function @{holdings.release_expired_names}(queue, expired)
  for _, held in ipairs(expired) do
    if held.free then
      redis.call('HDEL', @{namespace.key}('unique', queue), held.name)
    end
    redis.call('ZREM', @{namespace.key}('timed', queue), held.name)
  end
end

=== holdings.move_name
function @{holdings.move_name}(task, to)
  local from, latest = task.status, @{holdings.has_latest_policy}(task)
  local back = (from == 'reserved' or from == 'started') and @{contract.is_waiting}(to)
  local ends = @{contract.is_final}(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or latest and @{record.takes}(task, to) then
    @{holdings.release_name}(task, to)
  elseif not from or task.restarts or @{contract.is_final}(from) and not tonumber(task.till)
    or latest and back then
    @{holdings.take_name}(task)
  end
end

=== holdings.need
function @{holdings.need}(task)
  if string.find(task.flags or '', 'x', 1, true) then
    task.flags = string.gsub(task.flags, 'x', '')
    redis.call('HSET', @{namespace.prefix} .. 'task_' .. task.id, 'flags', task.flags)
  end
end

=== holdings.move
function @{holdings.move}(task, to)
  if not task.bound then
    return
  end
  local from = task.status
  local held = from == 'reserved' or from == 'started'
  local back = held and task.ranked and to == 'pending'
  if back then
    @{ranking.add}(task)
  end
  if task.limited and held and to ~= 'started' then
    @{held_places.release}(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    @{ranking.remove}(task, to)
    task.rank = nil
  elseif task.limited and @{record.takes}(task, to) then
    @{held_places.take}(task)
    if task.fair_key then
      @{fairness.refresh_all}(task.queue, task.fair_key)
    end
  end
  if task.ranked and to == 'pending' and not back then
    @{ranking.add}(task)
  end
  if task.shared then
    @{shared_count.count_task}(task, to)
  end
  if task.next_shared then
    @{shared_count.count}(task.next_shared, -1)
  end
  if task.tags and not from then
    @{tags.enter}(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    @{tags.leave}(task.queue, task.id, task.tags)
  end
  if task.unique then
    @{holdings.move_name}(task, to)
  end
  if task.end_by and @{holdings.opens_or_closes}(task, to) then
    if @{contract.is_final}(to) or to == 'deleted' or to == 'moved' then
      redis.call('ZREM', @{holdings.deadlines}(), task.id)
    else
      redis.call('ZADD', @{holdings.deadlines}(), task.end_by, task.id)
    end
  end
  if to ~= 'moved' and (task.watch or task.left) then
    local before = task.left or task
    @{watches.change}(task.id, before.watch, before.status, task.watch, to)
  end
  if task.late then
    @{notices.add_late}(task)
  end
  if task.graph then
    @{graphs.count}(task, to)
  end
  if to ~= 'cancelled' and to ~= 'deleted' then
    @{holdings.need}(task)
  end
  if @{controls.has}(task) and to ~= 'started' then
    @{controls.forget}(task, to)
  end
end

=== json.is_loose
function @{json.is_loose}(text)
  local find = string.find
  local plain = find(text, '\\', 1, true) and string.gsub(text, '\\.', '_') or text
  plain = ' ' .. string.gsub(plain, '"[^"%z\1-\31]*"', '') .. ' '
  return find(plain, '"', 1, true) or find(plain, 'nan', 1, true) or find(plain, '[b-dg-kmo-qv-zA-DF-Z]')
    or find(plain, '[^%d.eE+%-]0%d') or find(plain, '-0', 1, true) and find(plain, '[^eE]%-0%d')
    or find(plain, '+', 1, true) and find(plain, '[^eE]%+')
    or find(plain, '.', 1, true) and (find(plain, '%D%.') or find(plain, '%.%D')) or false
end

=== json.decodes
function @{json.decodes}(text)
  local whole = text
  if string.find(text, '\\u[dD]') then
    whole = string.gsub(string.gsub(text, '\\\\', '__'), '\\u[dD][89a-fA-F]%x%x', '\\ufffd')
  end
  return (pcall(cjson.decode, whole)) and not @{json.is_loose}(text)
end

=== json.guess
function @{json.guess}(piece)
  local back = string.reverse(string.sub(piece, -2048))
  local comma = string.find(back, ',[%]}]') or string.find(back, ',"', 1, true) or string.find(back, ',', 1, true)
  return comma and #piece - comma + 1
end

=== json.cut
function @{json.cut}(piece)
  local plain = string.find(piece, '\\', 1, true) and string.gsub(piece, '\\.', '__') or piece
  local _, quotes = string.gsub(plain, '"', '"')
  local last, cut = #plain
  if quotes % 2 == 1 then
    cut = string.sub(plain, -1) == '\\' and last - 1 or last
    for at = math.max(1, last - 4), last - 1 do
      if string.sub(piece, at, at + 1) == '\\u' and string.sub(plain, at, at + 1) == '__' then
        cut = at - 1
      end
    end
  else
    local back = string.reverse(plain)
    local comma, quote = string.find(back, ',', 1, true), string.find(back, '"', 1, true)
    if comma and (not quote or comma < quote) then
      return last - comma + 1, (string.gsub(string.sub(plain, 1, last - comma), '"[^"]*"', '')), false
    end
    cut = quote and last - quote
  end
  if cut and cut > 1 then
    return cut, (string.gsub(string.sub(plain, 1, cut) .. '"', '"[^"]*"', '')), true
  end
end

=== json.brackets
function @{json.brackets}(piece, open)
  local left, stack = string.gsub(piece, '[^%[%]{}]+', ''), {}
  local number = #left
  for _ = 1, 2 do
    left = string.gsub(string.gsub(left, '%[%]', ''), '{}', '')
  end
  for bracket in string.gmatch(open .. left, '.') do
    if bracket == '[' or bracket == '{' then
      stack[#stack + 1] = bracket
    elseif stack[#stack] == (bracket == ']' and '[' or '{') then
      stack[#stack] = nil
    else
      return nil
    end
  end
  return table.concat(stack), number
end

=== json.before
function @{json.before}(open, string_of)
  local last = string.sub(open, -1)
  if string_of == 'v' then
    return (string.gsub(open, '{', '{"":'))
  elseif open == '' then
    return ''
  end
  return (string.gsub(string.sub(open, 1, -2), '{', '{"":'))
    .. (string_of and '{' or last == '[' and '[0,' or '{"":0,')
end

=== json.after
function @{json.after}(open, string_of)
  local closed = string.gsub(string.reverse(open), '.', { ['['] = ']', ['{'] = '}' })
  if string_of then
    return (string_of == 'k' and '":0' or '"') .. closed
  end
  return (string.sub(open, -1) == '[' and '0' or '"":0') .. closed
end

=== json.decode
function @{json.decode}(head, piece, cut, rest, open, string_of)
  local left, number = @{json.brackets}(rest, open)
  if left and (left ~= '' or string_of)
    and @{json.decodes}(head .. string.sub(piece, 1, cut) .. @{json.after}(left, string_of)) then
    return left .. (string_of or ''), number
  end
end

=== json.shorten
function @{json.shorten}(text)
  return (string.gsub(string.gsub(text, '(%d%d)%d+', '%1'), '[ \t\r\n]+', ' '))
end

=== json.look
function @{json.look}(text, from, place)
  local open, string_of = string.match(place, '^([^kv]*)([kv]?)$')
  string_of = string_of ~= '' and string_of or nil
  local head, quote = @{json.before}(open, string_of), string_of and '"' or ''
  local piece = quote .. string.sub(text, from, from + 16384 - 1)
  if from + 16384 > #text then
    return @{json.decodes}(head .. piece)
  end
  local left, number
  local cut = not string_of and @{json.guess}(piece)
  if cut then
    left, number = @{json.decode}(head, piece, cut, string.sub(piece, 1, cut - 1), open)
    if left then
      return nil, from + cut, left, cut + 16 * number
    end
  end
  local rest, within
  local before, times = from - #quote, string.find(piece, '\\', 1, true) and 3 or 2
  cut, rest, within = @{json.cut}(piece)
  if not cut then
    local to = math.min(string.find(text, ',', from + 16384, true) or #text + 1,
      string.find(text, '"', from + 16384, true) or #text + 1)
    if to - from > 1048576 then
      return false
    end
    local short = @{json.shorten}(quote .. string.sub(text, from, to - 1))
    if to > #text then
      return @{json.decodes}(head .. short)
    end
    before, times, piece = to - #short, 65536, short .. string.sub(text, to, to + 16384 - 1)
    cut, rest, within = @{json.cut}(piece)
  end
  if cut then
    left, number = @{json.decode}(head, piece, cut, rest, open, within and 'v' or nil)
    if within and not left then
      left, number = @{json.decode}(head, piece, cut, rest, open, 'k')
    end
  end
  if left then
    return nil, before + cut, left, times * cut + 16 * number
  end
  return false
end

=== json.step
function @{json.step}(text, place)
  local from, open = string.match(place or '1 ', '^(%d+) (.*)$')
  local looked, most = 0, math.max(65536, #text / 16)
  local verdict, more
  from = tonumber(from)
  repeat
    verdict, from, open, more = @{json.look}(text, from, open)
    looked = looked + (more or 0)
  until verdict ~= nil or looked >= most
  return verdict, verdict == nil and string.format('%d %s', from, open) or nil
end

=== limits.starts_key
function @{limits.starts_key}(queue, key)
  return @{namespace.prefix} .. 'rate_' .. queue .. (key and '/' .. key or '')
end

=== limits.of_key
function @{limits.of_key}(queue, key)
  local own, rate = string.match(redis.call('HGET', @{namespace.key}('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or @{settings.get}(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, @{settings.get}(queue, 'key_rate'), @{settings.since}(queue, 'key_rate')
end

=== limits.key_state
function @{limits.key_state}(queue, key, counts)
  local most, rate, since = @{limits.of_key}(queue, key)
  local used = (most or counts) and redis.call('HGET', @{namespace.key}('places', queue), 'k:' .. key)
  return { most = most, used = tonumber(used or 0), rate = rate, since = since, list = @{limits.starts_key}(queue, key),
    starts = 0 }
end

=== limits.queue_state
function @{limits.queue_state}(queue, counts)
  local most, rate = tonumber(@{settings.get}(queue, 'concurrency')), @{settings.get}(queue, 'rate')
  return { most = most, used = (most or counts) and @{limits.used}(queue) or 0, rate = rate,
    since = rate and @{settings.since}(queue, 'rate'), list = @{limits.starts_key}(queue), starts = 0 }
end

=== limits.used
function @{limits.used}(queue)
  return redis.call('ZCARD', @{namespace.key}('leases', queue))
    + tonumber(redis.call('HGET', @{namespace.declare}(@{namespace.key}('places', queue)), 'extra') or 0)
end

=== limits.allows
function @{limits.allows}(known, weight)
  local most = known.most
  if weight == 'exclusive' then
    most, weight = 1, 1
  end
  if most and known.used + math.min(tonumber(weight), most) > most then
    return false
  end
  return @{limits.rate_allows}(known.list, known.rate, known.since, known.starts)
end

=== limits.fits
function @{limits.fits}(queue, key, weight)
  local value_1_1
  do
    local queue, key, counts = queue, key, weight == 'exclusive'
    local most, rate, since = @{limits.of_key}(queue, key)
    local used = (most or counts) and redis.call('HGET', @{namespace.key}('places', queue), 'k:' .. key)
    value_1_1 = { most = most, used = tonumber(used or 0), rate = rate, since = since, list = @{limits.starts_key}(queue, key),
      starts = 0 }
  end
  local known = value_1_1
  return @{limits.allows}(known, weight)
end

=== limits.start_expires
function @{limits.start_expires}(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= @{namespace.now_us} then
    return last + seconds * 1000000
  end
end

=== limits.rate_allows
function @{limits.rate_allows}(starts, rate, since, others)
  local free = rate and @{limits.allowed_at}(starts, rate, since, others or 0) or 0
  if free > @{namespace.now_us} then
    return false, free
  end
  return true
end

=== limits.allowed_at
function @{limits.allowed_at}(starts, rate, since, before)
  if not rate then
    return 0
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local rounds = math.floor(before / number)
  local free = @{limits.start_expires}(starts, number - 1 - before % number, seconds, since) or @{namespace.now_us}
  return math.max(free, @{namespace.now_us}) + rounds * seconds * 1000000
end

=== limits.record_start
function @{limits.record_start}(starts, rate, us)
  if rate then
    redis.call('LPUSH', starts, us)
    local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
    redis.call('LTRIM', starts, 0, number - 1)
    redis.call('EXPIRE', starts, 2 * seconds + 60)
  end
end

=== listeners.require
function @{listeners.require}(queue, listener)
  if redis.call('SISMEMBER', @{namespace.prefix} .. 'listeners_' .. queue, listener) == 0 then
    @{args.plain}(queue, 'queue')
    @{args.listener}(listener)
    @{namespace.check_slot}(@{namespace.prefix} .. 'listeners_' .. queue)
    @{reply.fail}('NOLISTENER', 'this listener is not registered on the queue: register it, then repeat the call')
  end
end

=== listeners.plan_drain
function @{listeners.plan_drain}(queue)
  @{namespace.shared}('drained')[queue] = tonumber(redis.call('HGET', @{namespace.meta}, 'drained:' .. queue) or 0)
end

=== listeners.drained
function @{listeners.drained}(queue, by)
  local numbers = @{namespace.shared}('drained')
  numbers[queue] = math.max(0, numbers[queue] + by)
  if numbers[queue] > 0 then
    redis.call('HSET', @{namespace.meta}, 'drained:' .. queue, numbers[queue])
  else
    redis.call('HDEL', @{namespace.meta}, 'drained:' .. queue)
  end
end

=== listeners.probe
function @{listeners.probe}(queue)
  @{namespace.probe}('SCARD', @{namespace.key}('listeners', queue))
  @{namespace.probe}('ZCARD', @{namespace.key}('seen', queue))
  @{namespace.probe}('HLEN', @{namespace.key}('orders', queue))
  @{namespace.probe}('HLEN', @{namespace.key}('has', queue))
  @{listeners.plan_drain}(queue)
  @{namespace.probe}('ZCARD', @{namespace.prefix} .. 'queues')
end

=== listeners.equip
function @{listeners.equip}(queue, listener, has)
  if has ~= '' then
    redis.call('HSET', @{namespace.key}('has', queue), listener, has)
  else
    redis.call('HDEL', @{namespace.key}('has', queue), listener)
  end
end

=== listeners.seen
function @{listeners.seen}(queue, listener)
  redis.call('ZADD', @{namespace.key}('seen', queue), @{namespace.now}, listener)
end

=== listeners.refuse
function @{listeners.refuse}(queue, listener)
  local key = @{namespace.declare}(@{namespace.prefix} .. 'orders_' .. queue)
  if redis.call('HEXISTS', key, 'l:' .. listener) == 1 then
    @{reply.fail}('DRAINING', 'this listener was ordered to drain: finish its tasks and unregister it')
  end
end

=== listeners.drains
function @{listeners.drains}(queue)
  local known = @{namespace.shared}('drains')
  if known[queue] == nil then
    known[queue] = redis.call('HEXISTS', @{namespace.meta}, 'drained:' .. queue) == 1
  end
  return known[queue]
end

=== listeners.ordered
function @{listeners.ordered}(queue, listener, worker)
  if redis.call('HEXISTS', @{namespace.key}('orders', queue), 'l:' .. listener) == 1 then
    return true
  end
  for other in string.gmatch(worker and worker.queues or '', '[^,]+') do
    if other ~= queue and @{listeners.drains}(other)
      and redis.call('HEXISTS', @{namespace.key}('orders', other), 'l:' .. listener) == 1 then
      return true
    end
  end
  return false
end

=== listeners.status
function @{listeners.status}(queue, listener, keep)
  local worker = @{workers.serves}(listener, queue)
  local silent
  if worker then
    silent = @{namespace.now_us} - worker.at > (30 * 1000000)
  else
    local seen = redis.call('ZSCORE', @{namespace.key}('seen', queue), listener)
    silent = seen and @{namespace.now_us} - @{workers.moment}(seen) >= keep
      and redis.call('LLEN', @{namespace.key}('reserved_tasks', queue .. '_' .. listener)) == 0
  end
  if silent then
    return 'silent'
  elseif worker and worker.draining or @{listeners.ordered}(queue, listener, worker) then
    return 'draining'
  end
  return worker and worker.full and 'full' or 'listening'
end

=== listeners.keep
function @{listeners.keep}(queue)
  return tonumber(@{settings.get}(queue, 'forget_after')) * 1000000
end

=== listeners.count
function @{listeners.count}(queue)
  local numbers, looks = { silent = 0, draining = 0, full = 0, listening = 0 }, @{namespace.shared}('looks')
  local all = redis.call('SCARD', @{namespace.key}('listeners', queue))
  local left, keep = 2000 - (looks.done or 0), all > 0 and @{listeners.keep}(queue)
  local page = all > 0 and left > 0
    and redis.call('SSCAN', @{namespace.key}('listeners', queue), 0, 'COUNT', left)[2] or {}
  for _, listener in ipairs(page) do
    local how = @{listeners.status}(queue, listener, keep)
    numbers[how] = numbers[how] + 1
  end
  looks.done = (looks.done or 0) + #page
  numbers.listening = numbers.listening + math.max(0, all - #page)
  numbers.present = numbers.listening + numbers.full
  return numbers
end

=== listeners.remove
function @{listeners.remove}(queue, listener)
  @{workers.leave}(listener, queue)
  redis.call('HDEL', @{namespace.key}('has', queue), listener)
  redis.call('ZREM', @{namespace.key}('seen', queue), listener)
  if redis.call('HDEL', @{namespace.key}('orders', queue), 'l:' .. listener) == 1 then
    @{listeners.drained}(queue, -1)
  end
  local removed = redis.call('SREM', @{namespace.key}('listeners', queue), listener)
  if removed == 1 then
    redis.call('ZINCRBY', @{namespace.prefix} .. 'queues', -1, queue)
  end
  return removed
end

=== logs.index
function @{logs.index}()
  return @{namespace.prefix} .. 'logs'
end

=== logs.size
function @{logs.size}(id)
  local v = redis.call('HMGET', @{namespace.declare}(@{namespace.key}('logged', id)), 'head', 'tail')
  if v[1] then
    @{namespace.probe}('ZCARD', @{logs.index}())
    return v[1] + v[2]
  end
end

=== logs.forget
function @{logs.forget}(id, size)
  redis.call('UNLINK', @{namespace.key}('logged', id))
  redis.call('ZREM', @{logs.index}(), id)
  redis.call('HINCRBY', @{namespace.meta}, 'logs', -size)
end

=== logs.open
function @{logs.open}(id)
  local key, sizes = @{namespace.key}('log', id), @{namespace.declare}(@{namespace.key}('logged', id))
  local v = redis.call('HMGET', sizes, 'attempt', 'seen', 'head', 'till', 'tail', 'last')
  local log = {
    key = key, sizes = sizes, attempt = v[1], seen = tonumber(v[2] or 0), head = tonumber(v[3] or 0), till = v[4],
    tail = tonumber(v[5] or 0),
    last = v[6] or '', dropped = {},
  }
  log.size = log.head + log.tail
  if @{namespace.probe}('XLEN', key) == 0 then
    log.head, log.till, log.tail = 0, false, 0
  end
  return log
end

=== logs.cut
function @{logs.cut}(text, room)
  local line = string.match(string.sub(text, 1, room), '^.*\n()')
  return line and line > room / 2 and line - 1 or room
end

=== logs.plan
function @{logs.plan}(log, text, offset, most)
  local head = math.floor(most / 5)
  local tail, added = most - head, {}
  local function add(part, at)
    added[#added + 1] = { part, at }
    return #part + 100
  end
  if not log.till then
    local room = head - log.head - 100
    if #text <= room then
      log.headed = add(text, offset)
      return added
    elseif offset and room > 0 then
      local cut = @{logs.cut}(text, room)
      log.headed = add(string.sub(text, 1, cut), offset)
      text, offset = string.sub(text, cut + 1), offset + cut
    end
  end
  local room = tail - 100
  if #text > room and offset and room > 0 then
    text, offset = string.sub(text, -room), offset + #text - room
  end
  if #text <= room then
    log.tailed = add(text, offset)
    @{logs.drop}(log, log.tail + log.tailed - tail)
  end
  return added
end

=== logs.drop
function @{logs.drop}(log, bytes)
  local after, number = log.till, 1
  while bytes > 0 and #log.dropped < 1000 do
    local entries = log.tail > 0 and redis.call('XRANGE', log.key, '(' .. after, '+', 'COUNT', number) or {}
    if #entries == 0 then
      log.tail = 0
      return
    end
    for _, entry in ipairs(entries) do
      if bytes > 0 then
        local size = #entry[2][8] + 100
        bytes, log.tail, after = bytes - size, math.max(0, log.tail - size), entry[1]
        log.dropped[#log.dropped + 1] = after
      end
    end
    number = math.min(64, 2 * number, 1000 - #log.dropped)
  end
end

=== logs.look
function @{logs.look}(number, wanted, spared)
  local found, freed = {}, 0
  local old = @{namespace.now_us} / 1000000 - 86400
  local all = redis.call('ZRANGE', @{namespace.declare}(@{logs.index}()), 0, number - 1, 'WITHSCORES')
  for i = 1, #all, 2 do
    local id, heard = all[i], tonumber(all[i + 1])
    if not spared[id] and (heard <= old or freed < wanted) then
      local task = @{record.find}(id, 'updated')
      local over = not task or task.queue == '' or @{contract.is_final}(task.status)
      local ended = task and tonumber(task.extra[1]) or 0
      local look = { id = id, log = @{namespace.declare}(@{namespace.key}('log', id)), size = @{logs.size}(id) or 0 }
      if not over then
        look.heard = @{namespace.now}
      elseif ended <= old or freed < wanted then
        freed = freed + look.size
      else
        look.heard = task.extra[1]
      end
      found[#found + 1] = look
    end
  end
  return found, freed
end

=== logs.free
function @{logs.free}(found)
  for _, look in ipairs(found) do
    if not look.heard then
      redis.call('UNLINK', look.log)
      @{logs.forget}(look.id, look.size)
    end
  end
  for _, look in ipairs(found) do
    if look.heard then
      redis.call('ZADD', @{logs.index}(), look.heard, look.id)
      redis.call('EXPIRE', look.log, 2592000)
    end
  end
end

=== lost_attempts.target
function @{lost_attempts.target}(task, back, known)
  task.losses, task.stalled_losses = tonumber(known.losses or 0) + 1, tonumber(known.stalled_losses or 0) + 1
  if task.cancel then
    task.overdue = @{deadlines.decided}(task)
    task.group = task.overdue and 'deadline' or nil
    return task.overdue and 'failed' or 'cancelled'
  end
  task.group = 'lost'
  if task.losses > tonumber(known.max_losses or @{settings.get}(task.queue, 'max_losses')) then
    return 'failed'
  end
  if back ~= 'pending' then
    return back
  end
  local to = @{holdings.state_after_release}(task, back)
  return to == 'pending' and @{retries.plan}(task, @{lost_attempts.pause}(task, known)) or to
end

=== lost_attempts.pause
function @{lost_attempts.pause}(task, known)
  local pause = tonumber(known.lost_delay or @{settings.get}(task.queue, 'lost_delay'))
  if known.grows and task.stalled_losses > 1 then
    pause = math.max(pause, math.min(2 ^ (task.stalled_losses - 2), 300))
  end
  return math.floor(pause * 1000000)
end

=== lost_attempts.move
function @{lost_attempts.move}(task, to, why, text)
  local more = {}
  if task.overdue then
    task.forget, more = @{deadlines.forgotten}(), { 'group', 'deadline', 'error', 'its deadline has passed' }
  elseif to == 'failed' then
    more = { 'group', 'lost', 'error', 'lost ' .. task.losses .. ' times: '
      .. (text or 'its owners stopped reporting') }
  elseif to == 'pending' then
    task.front, task.forget, more = true, { @{record.attempt_fields}() }, { 'front', '1' }
  elseif to == 'scheduled' then
    task.forget, more = { @{record.attempt_fields}() }, { 'front', '1', 'eta', task.eta }
    if task.own_eta then
      more[5], more[6] = 'retry_eta', '1'
    end
  elseif task.replaced then
    more = { @{holdings.cancel_reason}(task) }
  end
  @{state.move}(task, to, why, '',
    'ended', task.token, 'outcome', 'lost', 'losses', task.losses,
    'stalled_losses', task.stalled_losses, unpack(more))
  @{orders.announce}(task.queue)
end

=== lost_attempts.died
function @{lost_attempts.died}(task, text)
  local v = redis.call('HMGET', @{namespace.prefix} .. 'task_' .. task.id, 'max_losses', 'losses', 'stalled_losses',
    'lost_delay')
  local to = @{lost_attempts.target}(task, 'pending',
    { max_losses = v[1], losses = v[2], stalled_losses = v[3], lost_delay = v[4], grows = true })
  @{state.plan}(task, to)
  @{namespace.begin}()
  @{lost_attempts.move}(task, to, 'lost', text)
  if to == 'pending' then
    do
      local queue = task.queue
      local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
      local value_2_1
      do
        local queue, idle, sets = queue, idle[queue], idle['*']
        if idle then
          redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
        end
        if sets then
          do
            local queue = queue
            local ready = @{namespace.prefix} .. 'ready'
            if not @{namespace.declared} or @{namespace.is_here}(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if sets ~= '' then
            sets = @{wakeups.wake_sets}(sets, queue)
          end
        end
        redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
        value_2_1 = sets
      end
      local sets = value_2_1
      idle[queue], idle['*'] = nil, sets
    end
  end
  return 'lost'
end

=== maintenance.parts
function @{maintenance.parts}(name)
  return name == '*' and { 'tick', 'run_deferred' }
    or { 'promote', 'requeue_orphans', 'aggregate', 'prune', 'repair' }
end

=== maintenance.key
function @{maintenance.key}()
  return @{namespace.prefix} .. 'maintenance'
end

=== maintenance.read
function @{maintenance.read}(queues)
  local all, now = {}, @{namespace.now_us}
  local function time(text, most)
    local us = tonumber(text) or 0
    return us <= now + most and us or 0
  end
  for i, text in ipairs(redis.call('HMGET', @{namespace.declare}(@{maintenance.key}()), '*', unpack(queues))) do
    local due, part, after, pruned = string.match(text or '', '^(%d+) (%d+) (%d+) (%d+)$')
    all[i] = { name = queues[i - 1] or '*', nth = i, due = time(due, 2000000),
      part = tonumber(part) or 1, after = time(after, 2000000), pruned = time(pruned, 0) }
  end
  return all
end

=== maintenance.first
function @{maintenance.first}(all)
  local first = all[1].due
  for _, one in ipairs(all) do
    first = math.min(first, one.due)
  end
  return math.max(first, @{namespace.now_us})
end

=== maintenance.work
function @{maintenance.work}(what, one, meta, step)
  local queue, done, due = one.name, { 0, 0 }, nil
  if what == 'tick' then
    done = @{ticking.tick}(10)
    step.low, due = { unpack(done, 4) }, done[3]
  elseif what == 'run_deferred' then
    done = @{deferred.run}(100)
  elseif what == 'promote' then
    done = @{promotion.promote}(queue, 100, meta[2])
    due = done[3]
  elseif what == 'requeue_orphans' then
    local found = @{orphans.requeue}(queue, 25, meta[3], meta[4])
    done = { found[1] + found[2] + found[3], found[5] }
  elseif what == 'aggregate' then
    done = @{aggregation.aggregate}(queue, 500)
  elseif what == 'repair' then
    local found = @{repair.step}(queue, '', 100, (60 * 1000000), true)
    step.repaired = found[1] == ''
    done = { found[2], 0 }
  elseif @{namespace.now_us} - one.pruned >= 60000000 then
    done = @{retention.prune}(queue, 100, {})
    one.pruned = done[2] == 1 and one.pruned or @{namespace.now_us}
  end
  return done[1], done[2] == 1, (tonumber(due) or math.huge) * 1000000
end

=== maintenance.go_on
function @{maintenance.go_on}(one, meta, step)
  local parts, now = @{maintenance.parts}(one.name), @{namespace.now_us}
  local what = parts[math.min(one.part, #parts)]
  if one.part == 1 or one.after == 0 then
    one.after = now + 2000000
  end
  local ok, number, more, next = pcall(@{maintenance.work}, what, one, meta, step)
  if not ok then
    local refusal = @{reply.refusal}(number).err
    local code = string.match(refusal, '^%-?(%u+)')
    if code ~= 'WRONGKEY' and code ~= 'OOM' then
      error(number, 0)
    end
    step.trouble = string.gsub(refusal, '^%-', '')
    number, more, next = 0, false, math.huge
    step.repaired = true
  end
  step.what, step.number = what, number
  one.after = more and now or math.min(one.after, math.max(now, next))
  if one.part < #parts or what == 'repair' and not step.repaired and one.part < #parts + 12 - 1 then
    one.due, one.part = now, one.part + 1
  else
    one.due, one.part = one.after, 1
  end
end

=== maintenance.step
function @{maintenance.step}(queues, meta)
  local all, step, changed = @{maintenance.read}(queues), { what = '', number = 0, trouble = '', low = {} }, {}
  local turns = { unpack(all) }
  table.sort(turns, function(one, other)
    return one.due < other.due or one.due == other.due and one.nth < other.nth
  end)
  local begun = @{namespace.shared}('request')
  for _, one in ipairs(turns) do
    if one.due > @{namespace.now_us} or begun.begun or step.trouble ~= '' then
      break
    end
    if one.name == '*' or @{namespace.is_queue}(one.name) then
      changed[#changed + 1] = one.name
      repeat
        @{maintenance.go_on}(one, meta, step)
      until one.part == 1 or begun.begun or step.trouble ~= ''
      changed[#changed + 1] = string.format('%.0f %d %.0f %.0f', one.due, one.part, one.after, one.pruned)
    else
      one.due = @{namespace.now_us} + 2000000
    end
  end
  if not begun.begun then
    step.what, step.number = step.trouble == '' and '' or step.what, 0
  end
  if changed[1] then
    if not begun.begun then
      @{namespace.begin}()
    end
    @{namespace.write_when_full}(@{maintenance.key}())
    redis.call('HSET', @{maintenance.key}(), unpack(changed))
  end
  local first = @{maintenance.first}(all)
  return { step.what, step.number, first == @{namespace.now_us} and 1 or 0, @{namespace.decimal}(first), step.trouble,
    unpack(step.low) }
end

=== moving.destination
function @{moving.destination}(spec)
  if not spec.known then
    spec.known = redis.call('ZSCORE', @{namespace.declare}(@{namespace.prefix} .. 'queues'), spec.queue) and 'old' or 'new'
    spec.closed = @{settings.get}(spec.queue, 'closed') == '1'
    spec.needs, spec.different = {}, redis.call('HLEN', @{namespace.declare}(@{namespace.key}('needs', spec.queue)))
  end
  if spec.closed then
    return 'CLOSED', 'the other queue is closed: open it with ${TICK}blueque drain QUEUE --off${TICK}, or set closed to 0'
  end
end

=== moving.plan
function @{moving.plan}(task, spec)
  if task.queue == spec.queue then
    return
  elseif not @{contract.is_waiting}(task.status) then
    return @{actions.refuse}(task, 'waiting, scheduled, pending or held')
  end
  local code, text = @{moving.destination}(spec)
  if code then
    return code, text
  end
  return @{moving.plan_entry}(task, task.status, spec)
end

=== moving.plan_entry
function @{moving.plan_entry}(task, to, spec)
  local other = @{holdings.elsewhere}(task, spec.queue, task.extra[2])
  other.to, other.eta = to, to == 'scheduled' and task.extra[3] or nil
  if spec.alter then
    spec.alter(task, other)
  end
  if not @{actions.unique}(other, spec) then
    return 'DUPLICATE', 'another task of the other queue has this unique name'
  end
  local class = @{needs.class}(other)
  if class and not spec.needs[class] and not @{needs.number}(other.queue, class) then
    if spec.different >= 64 then
      return 'TOOMANY', 'the tasks that wait in the other queue have 64 different needs already: ${TICK}why${TICK} and doctor name'
        .. ' those that no listener has'
    end
    spec.needs[class], spec.different = true, spec.different + 1
  end
  @{actions.plan}(task, 'moved', spec)
  @{state.plan}(other, other.to)
  task.other = other
end

=== moving.move
function @{moving.move}(task, spec)
  local other = task.other
  other.forget = {}
  if other.to == 'scheduled' then
    @{moving.arrive}(task, spec, 'move', 'eta', other.eta)
  else
    @{moving.arrive}(task, spec, 'move')
  end
end

=== moving.arrive
function @{moving.arrive}(task, spec, why, ...)
  local other = task.other
  @{state.move}(task, 'moved', why, spec.by or '')
  @{reply.add}(other.forget, 'front', 'readied', task.status ~= 'scheduled' and 'promoted' or nil)
  @{state.move}(other, other.to, 'move', '', 'queue', other.queue, 'attempt', other.attempt, ...)
  spec.wakes = other.to == 'pending' and other.queue or spec.wakes
  if spec.known == 'new' then
    redis.call('ZADD', @{namespace.prefix} .. 'queues', 0, other.queue)
    spec.known = 'old'
  end
end

=== namespace.meta
@{namespace.meta} = KEYS[1] or ''

=== namespace.prefix
@{namespace.prefix} = string.sub(@{namespace.meta}, 1, -5)

=== namespace.declared
@{namespace.declared} = not string.find(@{namespace.meta}, '^[^_{]*_meta$') and {}

=== namespace.shared_tables
@{namespace.shared_tables} = false

=== namespace.gap
@{namespace.gap} = false

=== namespace.now_us
@{namespace.now_us} = 0

=== namespace.now
@{namespace.now} = ''

=== namespace.decimal
function @{namespace.decimal}(us)
  return string.format('%.6f', us / 1000000)
end

=== namespace.digits
function @{namespace.digits}(us)
  local micros = us % 1000000
  return string.format('%d%06d', (us - micros) / 1000000, micros)
end

=== namespace.check_new
function @{namespace.check_new}()
  local name = string.match(@{namespace.meta}, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    @{reply.fail}('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', @{namespace.meta}, 'schema') == 1 then
    @{reply.fail}('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  @{namespace.declared} = @{namespace.declared} or {}
  @{namespace.declared}.unborn = true
  return 0
end

=== namespace.use_test_time
function @{namespace.use_test_time}(now)
  @{namespace.now_us} = @{args.seconds}(now or @{reply.fail}('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (@{namespace.declared} and @{namespace.declared}.unborn) and redis.call('HGET', @{namespace.meta}, 'test') ~= '1' then
    @{reply.fail}('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  @{namespace.now} = @{namespace.decimal}(@{namespace.now_us})
end

=== namespace.apply_floor
function @{namespace.apply_floor}(clock)
  @{namespace.now_us} = clock
  @{namespace.now} = @{namespace.decimal}(@{namespace.now_us})
end

=== namespace.note_gap
function @{namespace.note_gap}(clock)
  if clock > 0 then
    @{namespace.gap} = @{namespace.now_us}
  end
end

=== namespace.open
function @{namespace.open}()
  do
    local clock = redis.call('HGET', @{namespace.meta}, 'clock:1')
    if not clock or #KEYS ~= 1 or @{namespace.declared} and not string.find(@{namespace.meta}, '^[^_]*_meta$') then
      clock = @{namespace.check_new}()
    end
    if ARGV[1] == '' then
      local time = redis.call('TIME')
      local seconds, micros = time[1], time[2]
      if #micros < 6 then
        micros = string.format('%06d', micros)
      end
      @{namespace.now_us} = seconds * 1000000 + micros
      @{namespace.now} = seconds .. '.' .. micros
    else
      @{namespace.use_test_time}(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > @{namespace.now_us} then
      @{namespace.apply_floor}(floor)
    elseif floor + 15000000 < @{namespace.now_us} then
      @{namespace.note_gap}(floor)
    end
  end
end

=== namespace.open_with
function @{namespace.open_with}(...)
  local found = redis.call('HMGET', @{namespace.meta}, 'clock:1', ...)
  do
    local clock = found[1]
    if not clock or #KEYS ~= 1 or @{namespace.declared} and not string.find(@{namespace.meta}, '^[^_]*_meta$') then
      clock = @{namespace.check_new}()
    end
    if ARGV[1] == '' then
      local time = redis.call('TIME')
      local seconds, micros = time[1], time[2]
      if #micros < 6 then
        micros = string.format('%06d', micros)
      end
      @{namespace.now_us} = seconds * 1000000 + micros
      @{namespace.now} = seconds .. '.' .. micros
    else
      @{namespace.use_test_time}(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > @{namespace.now_us} then
      @{namespace.apply_floor}(floor)
    elseif floor + 15000000 < @{namespace.now_us} then
      @{namespace.note_gap}(floor)
    end
  end
  return found
end

=== namespace.key
function @{namespace.key}(kind, name)
  return @{namespace.prefix} .. kind .. '_' .. name
end

=== namespace.shared
function @{namespace.shared}(name)
  @{namespace.shared_tables} = @{namespace.shared_tables} or {}
  local note = @{namespace.shared_tables}[name] or {}
  @{namespace.shared_tables}[name] = note
  return note
end

=== namespace.declare
function @{namespace.declare}(key)
  if @{namespace.declared} and not @{namespace.declared}[key] then
    @{namespace.declared}[key] = true
    @{namespace.declared}[#@{namespace.declared} + 1] = key
  end
  return key
end

=== namespace.probe
function @{namespace.probe}(command, key)
  if @{namespace.declared} then
    @{namespace.declare}(key)
  end
  return redis.call(command, key)
end

=== namespace.require_settled_slot
function @{namespace.require_settled_slot}()
  @{namespace.declare}(@{namespace.prefix} .. 'unmoved')
end

=== namespace.check_slot
function @{namespace.check_slot}(...)
  local answer = @{namespace.declared} and redis.pcall('EXISTS', @{namespace.meta}, ...)
  if type(answer) == 'table' and answer.err then
    @{reply.fail}(@{reply.elsewhere}())
  end
end

=== namespace.is_here
function @{namespace.is_here}(key)
  return type(redis.pcall('EXISTS', @{namespace.meta}, key)) == 'number'
end

=== namespace.begin
function @{namespace.begin}(first, ...)
  local request = @{namespace.shared_tables} and @{namespace.shared_tables}.request
  if request then
    request.begun = true
  end
  @{rights.require}()
  if @{namespace.declared} then
    @{namespace.begin_declared}(first, ...)
  end
end

=== namespace.begin_declared
function @{namespace.begin_declared}(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(@{namespace.declared}) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    @{namespace.check_slot}(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if @{namespace.declared}.unborn then
    @{rights.require}()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', @{namespace.meta}, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end

=== namespace.write_when_full
function @{namespace.write_when_full}(key)
  redis.call('HDEL', key, '')
end

=== namespace.is_queue
function @{namespace.is_queue}(queue)
  local key = @{namespace.key}
  return redis.call('ZSCORE', @{namespace.declare}(@{namespace.prefix} .. 'queues'), queue)
    or redis.call('EXISTS', key('tasks', queue), key('listeners', queue), key('pending_tasks', queue),
      key('scheduled_tasks', queue), key('complete_tasks', queue), key('failed_tasks', queue), key('leases', queue)) > 0
end

=== needs.class
function @{needs.class}(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end

=== needs.of_class
function @{needs.of_class}(class)
  local bar = string.find(class, '|', 1, true)
  return bar and string.sub(class, 1, bar - 1) or class, bar
end

=== needs.numbers
function @{needs.numbers}(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', @{namespace.key}('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end

=== needs.number
function @{needs.number}(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', @{namespace.key}('needs', queue), wanted) or '', '^%d+')
end

=== needs.plan
function @{needs.plan}(queue, wanted)
  local number, given = @{needs.number}(queue, wanted), @{namespace.shared}('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(@{needs.numbers}(queue)) do
    taken[other] = true
  end
  for _, other in pairs(given) do
    taken[other] = true
  end
  number = 1
  while taken[tostring(number)] do
    number = number + 1
  end
  given[wanted], @{namespace.shared}('needs')[queue] = tostring(number), given
  return given[wanted]
end

=== needs.count
function @{needs.count}(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = @{namespace.key}('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = @{needs.plan}(queue, wanted), 0
  end
  count = count + by
  if count > 0 then
    redis.call('HSET', known, wanted, number .. ' ' .. count)
  else
    redis.call('HDEL', known, wanted)
  end
  return number
end

=== needs.has
function @{needs.has}(text)
  local has = {}
  for name, number in string.gmatch(text or '', '([%w_.-]+)=?([%d.]*)') do
    has[name] = tonumber(number) or true
  end
  return has
end

=== needs.suits
function @{needs.suits}(has, wanted)
  for name, operator, number in string.gmatch(wanted, '([%w_.-]+)([<>=]*)([%d.]*)') do
    local own, asked = has[name], tonumber(number)
    local holds = own
    if operator ~= '' then
      holds = own and own ~= true and (operator == '>=' and own >= asked or operator == '<=' and own <= asked
        or operator == '>' and own > asked or operator == '<' and own < asked or operator == '=' and own == asked)
    end
    if not holds then
      return false
    end
  end
  return true
end

=== needs.listeners
function @{needs.listeners}(queue)
  local all, found = {}, redis.call('HSCAN', @{namespace.key}('has', queue), 0, 'COUNT', 1000)[2]
  local keep = @{listeners.keep}(queue)
  for i = 1, #found, 2 do
    local how = @{listeners.status}(queue, found[i], keep)
    all[#all + 1] = (how == 'listening' or how == 'full') and @{needs.has}(found[i + 1]) or nil
  end
  return all
end

=== needs.able
function @{needs.able}(queue, wanted)
  local number = 0
  for _, has in ipairs(@{needs.listeners}(queue)) do
    number = number + (@{needs.suits}(has, wanted) and 1 or 0)
  end
  return number
end

=== needs.lacking
function @{needs.lacking}(queue, wanted)
  local all, lacking = @{needs.listeners}(queue), {}
  for need in string.gmatch(wanted, '[^,]+') do
    local able = false
    for _, has in ipairs(all) do
      able = able or @{needs.suits}(has, need)
    end
    lacking[#lacking + 1] = not able and need or nil
  end
  return table.concat(lacking, ',')
end

=== next_round.begin
function @{next_round.begin}(id)
  local task = @{actions.find}(id)
  local round, request = unpack(redis.call('HMGET', task.key, 'round', 'next_round'), 1, 2)
  local found = redis.call('HGETALL', @{namespace.declare}(@{queued_round.key}(id)))
  local call = { request = request }
  for i = 1, #found, 2 do
    call[found[i]] = found[i + 1]
  end
  if task.status == 'cancelled' then
    return @{next_round.drop}(task, call, 'the task was cancelled')
  elseif not (request and call.queue and call.parameters) then
    return @{next_round.drop}(task, call, 'somebody removed ' .. @{queued_round.key}(id))
  end
  call.eta = tonumber(call.eta)
  local step = { queue = call.queue, by = call.by, reason = 'submitted again' }
  @{edits.read}(task)
  local ok, code, text = pcall(@{next_round.plan}, task, call, step)
  if not ok then
    local verdict = @{reply.code}(code)
    if verdict ~= 'TOOMANY' and verdict ~= 'NOLIMIT' then
      error(code, 0)
    end
    code, text = string.match(@{reply.refusal}(code).err, '^%-?(%u+) (.*)$')
  end
  if code then
    return @{next_round.drop}(task, call, code .. ' ' .. text)
  end
  task.new.round = { 'round', string.format('%d', (round or 1) + 1), 'round_request', request }
  @{actions.run}(@{rerun.run}, { task }, step)
  redis.call('UNLINK', @{queued_round.key}(id))
  redis.call('ZREM', @{edges.deferred}(), id)
  @{next_round.uncount}(call)
end

=== next_round.uncount
function @{next_round.uncount}(call)
  if call['/limits'] then
    @{shared_count.count}(call['/limits'], -1)
  end
end

=== next_round.plan
function @{next_round.plan}(task, call, step)
  local options = {}
  if call['/limits'] then
    @{shared_count.plan}()
  end
  for field, value in pairs(call) do
    local name = string.match(field, '^/(.*)')
    if name then
      options[name] = @{contract.task_option}(name, value)
    end
  end
  return @{rerun.plan}(task, call, @{creation.spec}(options), step)
end

=== next_round.drop
function @{next_round.drop}(task, call, why)
  local notes = redis.call('HGET', task.key, 'notes') or 0
  @{history.plan}(task)
  @{tracking.plan_note}(task)
  if call['/limits'] then
    @{shared_count.plan}()
  end
  @{namespace.begin}()
  redis.call('ZREM', @{edges.deferred}(), task.id)
  redis.call('UNLINK', @{queued_round.key}(task.id))
  local flags = string.gsub(task.flags, 'a', '')
  redis.call('HSET', task.key, 'notes', string.format('%.0f', notes + 1), 'flags', flags)
  redis.call('HDEL', task.key, 'next_round', flags == '' and 'flags' or 'next_round')
  @{next_round.uncount}(call)
  local text = 'the round ' .. (call.request or '') .. ' does not begin: ' .. why
  @{history.add}(task, { to = task.status, why = 'note', by = '', at = @{record.time}(task),
    note = { 'note', text, 'data', '' } }, '', '', '', '')
  @{tracking.note}(task, 'note', '', text)
end

=== notices.key
function @{notices.key}(owner)
  local graph = @{notices.graph}(owner)
  return graph and @{namespace.key}('endings', graph) or @{namespace.key}('notices', owner)
end

=== notices.owner
function @{notices.owner}(of, subject)
  return of == 'graph' and '/' .. subject or subject
end

=== notices.graph
function @{notices.graph}(owner)
  return string.match(owner, '^/(.*)$')
end

=== notices.record
function @{notices.record}(owner)
  local graph = @{notices.graph}(owner)
  return graph and @{namespace.key}('graph', graph) or @{namespace.key}('task', owner)
end

=== notices.outbox
function @{notices.outbox}(target)
  return @{namespace.key}('outbox', target)
end

=== notices.given_up
function @{notices.given_up}(target)
  return @{namespace.key}('given_up', target)
end

=== notices.all
function @{notices.all}()
  return @{namespace.prefix} .. 'targets'
end

=== notices.check_owner
function @{notices.check_owner}(value, what)
  @{args.plain}(@{notices.graph}(value) or value, what)
  return value
end

=== notices.each
function @{notices.each}(text)
  return string.gmatch(text ~= 'none' and text or '', '([%w_.-]+):?([%w+=-]*)')
end

=== notices.check
function @{notices.check}(value, what)
  if value == 'none' then
    return value
  end
  local wanted, seen = {}, {}
  for one in string.gmatch(#value <= 1024 and value .. ',' or ',', '([^,]*),') do
    local target, events = string.match(one, '^([%w_.-]+)(.*)$')
    events = events and (events == '' and 'end' or string.match(events, '^:(.+)$'))
    local named = events and @{notices.events}(events)
    if not named or #target > 64 or target == 'none' or seen[target] then
      @{reply.fail}('BADARG', what .. ' must be none, or names of targets, each once, such as ops,chat:failed+pending=1h;'
        .. ' the events are complete, failed, cancelled or end for all three, and with a time in s, m, h or d'
        .. ' pending, no-progress and deadline')
    end
    seen[target] = true
    wanted[#wanted + 1] = named == 'end' and target or target .. ':' .. named
  end
  if #wanted > 8 then
    @{reply.fail}('BADARG', what .. ' may name ' .. 8 .. ' targets at most')
  end
  table.sort(wanted, @{args.before})
  return table.concat(wanted, ',')
end

=== notices.check_graph
function @{notices.check_graph}(value, what)
  if @{watches.of}(value) then
    @{reply.fail}('BADARG', what .. ' of a graph may name only ends: complete, failed and cancelled; give pending,'
      .. ' no-progress and deadline to its tasks')
  end
  return @{notices.check}(value, what)
end

=== notices.events
function @{notices.events}(text)
  local named, ends, wanted = {}, 0, {}
  for one in string.gmatch(text .. '+', '([^+]*)%+') do
    local event, time = string.match(one, '^([%l-]+)=(.*)$')
    local known = event and @{watches.check}(event, time) or not event and @{notices.is_end}(one) and one
    if not known or named[event or one] then
      return nil
    end
    named[event or one] = true
    ends = ends + (event and 0 or 1)
    wanted[#wanted + 1] = known
  end
  if named['end'] or ends == #{ 'complete', 'failed', 'cancelled' } then
    local timed = { 'end' }
    for _, known in ipairs(wanted) do
      timed[#timed + 1] = not @{notices.is_end}(known) and known or nil
    end
    wanted = timed
  end
  table.sort(wanted, @{args.before})
  return table.concat(wanted, '+')
end

=== notices.is_end
function @{notices.is_end}(event)
  return event == 'end' or @{contract.is_final}(event)
end

=== notices.targets
function @{notices.targets}(text, event)
  local targets, ends = {}, @{notices.is_end}(event)
  for target, events in @{notices.each}(text) do
    local named = '+' .. events .. '+'
    if ends and (events == '' or string.find(named, '+' .. 'end' .. '+', 1, true))
      or string.find(named, '+' .. event .. '+', 1, true) then
      targets[#targets + 1] = target
    end
  end
  return targets
end

=== notices.plan
function @{notices.plan}(task, to)
  if to == 'deleted' then
    task.unsent = @{notices.plan_removal}(task.id)
  elseif @{notices.targets}(task.notify or 'none', to)[1] then
    task.notices = @{notices.plan_for}(task.id, task.notify)
  end
end

=== notices.plan_for
function @{notices.plan_for}(owner, text)
  local plan = { owner = owner, text = text, kept = @{namespace.probe}('HLEN', @{notices.key}(owner)) > 0 }
  @{namespace.probe}('SCARD', @{notices.all}())
  for target in @{notices.each}(text) do
    plan[target] = @{namespace.probe}('ZCARD', @{notices.outbox}(target))
  end
  return plan
end

=== notices.add
function @{notices.add}(task, to, why, by, ...)
  local fields, text = { ... }, ''
  for i = 1, #fields, 2 do
    if fields[i] == 'error' or fields[i] == 'reason' then
      text = string.sub(fields[i + 1], 1, 1024)
    end
  end
  @{notices.append}(task.notices, to, @{record.time}(task), task.attempt, task.status or '-', why, by == '' and '-' or by,
    text)
end

=== notices.append
function @{notices.append}(plan, event, ...)
  local key, named = @{notices.key}(plan.owner), string.match(event, '^[^=]+')
  for _, target in ipairs(@{notices.targets}(plan.text, event)) do
    local number = redis.call('HINCRBY', key, 'last', 1)
    local name, old = string.format('%d', number), string.format('%d', number - 64)
    local full = plan[target] >= 100000
    redis.call('HSET', key, name, table.concat({ target, named, ... }, ' '),
      name .. ':', full and 'dropped 0 - the outbox of the target was full' or 'open 0 - ')
    redis.call('HDEL', key, old, old .. ':')
    if plan[target] == 0 then
      redis.call('SADD', @{notices.all}(), target)
    end
    if not full then
      redis.call('ZADD', @{notices.outbox}(target), 'NX', string.format('%.0f', @{namespace.now_us}), plan.owner)
    end
  end
  if plan.kept then
    redis.call('EXPIRE', key, '3153600000')
  end
end

=== notices.plan_late
function @{notices.plan_late}(task)
  for event in pairs(@{watches.due}(task.watch, 'pending')) do
    local due = redis.call('ZSCORE', @{watches.key}(), event .. ' ' .. task.id)
    if string.find(event, '^pending') and due and tonumber(due) <= @{namespace.now_us} then
      task.late = task.late or { plan = @{notices.plan_for}(task.id, task.watch.targets) }
      task.late[#task.late + 1] = event
    end
  end
end

=== notices.add_late
function @{notices.add_late}(task)
  for _, event in ipairs(task.late) do
    @{notices.add_timed}(task.late.plan, task, event)
  end
end

=== notices.add_timed
function @{notices.add_timed}(plan, task, event)
  local named, time = string.match(event, '^(.+)=(.+)$')
  @{notices.append}(plan, event, @{namespace.now}, task.attempt, task.status, named, '-', time)
  if named == 'pending' then
    task.watch.waited = (task.watch.waited and task.watch.waited .. ' ' or '') .. time
    redis.call('HSET', @{namespace.prefix} .. 'task_' .. task.id, 'waited', task.watch.waited)
  end
end

=== notices.forget
function @{notices.forget}(owner, unsent)
  for _, target in ipairs(unsent) do
    redis.call('ZREM', @{notices.given_up}(target), owner)
  end
  if unsent.open then
    redis.call('EXPIRE', @{notices.key}(owner), '345600')
  else
    redis.call('UNLINK', @{notices.key}(owner))
  end
end

=== notices.plan_removal
function @{notices.plan_removal}(owner)
  local found, low, high = @{notices.read}(owner)
  local unsent = { open = @{notices.first_open}(found, low, high) ~= nil }
  for number = low, high do
    local notice = @{notices.parse}(found, number)
    if notice and notice.stage == 'given_up' then
      @{namespace.probe}('ZCARD', @{notices.given_up}(notice.target))
      unsent[#unsent + 1] = notice.target
    end
  end
  return unsent
end

=== notices.read
function @{notices.read}(owner)
  local fields, found = redis.call('HGETALL', @{namespace.declare}(@{notices.key}(owner))), {}
  for i = 1, #fields, 2 do
    found[fields[i]] = fields[i + 1]
  end
  local last = tonumber(found.last or 0)
  return found, math.max(1, last - 64 + 1), last
end

=== notices.parse
function @{notices.parse}(found, number)
  local name = string.format('%d', number)
  local target, event, at, tried, from, why, by, text = string.match(found[name] or '',
    '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (.*)$')
  local stage, tries, answered, answer = string.match(found[name .. ':'] or '', '^(%S+) (%S+) (%S+) (.*)$')
  return target and stage and { number = name, target = target, event = event, at = at, attempt = tried,
    from = from ~= '-' and from or '', why = why, by = by ~= '-' and by or '', text = text, stage = stage,
    tries = tries, answered = answered ~= '-' and answered or '', answer = answer }
end

=== notices.first_open
function @{notices.first_open}(found, low, high, target)
  for number = low, high do
    local notice = @{notices.parse}(found, number)
    if notice and notice.target == (target or notice.target) and notice.stage == 'open' then
      return notice
    end
  end
end

=== notices.due
function @{notices.due}(target, limit, taken, gone)
  local outbox = @{notices.outbox}(target)
  for _, owner in ipairs(redis.call('ZRANGEBYSCORE', @{namespace.declare}(outbox), '-inf',
    string.format('%.0f', @{namespace.now_us}), 'LIMIT', 0, limit)) do
    local found, low, high = @{notices.read}(owner)
    local notice = @{notices.first_open}(found, low, high, target)
    if notice then
      local graph = @{notices.graph}(owner)
      local v = redis.call('HMGET', @{notices.record}(owner), 'queue', graph and 'name' or 'title', 'method')
      notice.of, notice.subject = graph and 'graph' or 'task', graph or owner
      notice.queue, notice.title, notice.method = v[1] or '', v[2] or '', v[3] or ''
      notice.owner, notice.outbox = owner, outbox
      taken[#taken + 1] = notice
    else
      gone[#gone + 1] = { outbox = outbox, owner = owner }
    end
  end
end

=== notices.plan_redelivery
function @{notices.plan_redelivery}(owner, target)
  local key, outbox = @{notices.key}(owner), @{notices.outbox}(target)
  @{namespace.probe}('HLEN', key)
  local found, low, high = @{notices.read}(owner)
  local due = tonumber(redis.call('ZSCORE', outbox, owner) or nil)
  local later = due and due > @{namespace.now_us}
  local plan = { owner = owner, key = key, fields = {} }
  if found['/' .. target] and later then
    return plan
  end
  for number = low, high do
    local notice = @{notices.parse}(found, number)
    if notice and notice.target == target and notice.stage == 'given_up' then
      @{reply.add}(plan.fields, notice.number .. ':', 'open ' .. string.match(found[notice.number .. ':'], ' (.*)$'))
    end
  end
  plan.number = #plan.fields / 2 + (later and 1 or 0)
  return plan
end

=== notices.redeliver
function @{notices.redeliver}(plan, target)
  if (plan.number or 0) == 0 then
    return 0
  end
  redis.call('ZADD', @{notices.outbox}(target), string.format('%.0f', @{namespace.now_us}), plan.owner)
  if plan.fields[1] then
    redis.call('ZREM', @{notices.given_up}(target), plan.owner)
    redis.call('HSET', plan.key, unpack(plan.fields))
  end
  return plan.number
end

=== notices.delay
function @{notices.delay}(tries)
  return math.min(3600000000, 5000000 * 2 ^ math.min(tries - 1, 20))
end

=== orders.key
function @{orders.key}(queue)
  return @{namespace.key}('orders', queue)
end

=== orders.of
function @{orders.of}(task)
  return redis.call('HGET', @{namespace.declare}(@{orders.key}(task.queue)), 't:' .. task.id)
end

=== orders.plan
function @{orders.plan}(queue)
  @{namespace.probe}('HLEN', @{orders.key}(queue))
end

=== orders.give
function @{orders.give}(queue, to, order)
  local key = @{orders.key}(queue)
  @{namespace.write_when_full}(key)
  redis.call('HSET', key, to, order)
  @{orders.announce}(queue)
end

=== orders.announce
function @{orders.announce}(queue)
  redis.pcall('PUBLISH', @{orders.key}(queue), '')
end

=== orders.take_back
function @{orders.take_back}(queue, to)
  redis.call('HDEL', @{orders.key}(queue), to)
end

=== orphans.requeue
function @{orphans.requeue}(queue, limit, run, gap)
  local here = @{server.info}('server', 'run_id') or run
  local restarted = run and here ~= run
  local found = { stale = {}, foreign = {}, freed = {}, postponed = {}, lost = {}, restarted = restarted,
    gap = restarted and @{namespace.now_us} or @{namespace.gap} or tonumber(gap or 0) }
  local leases = @{namespace.declare}(@{namespace.key}('leases', queue))
  local placed = @{namespace.probe}('HLEN', @{namespace.key}('places', queue)) > 0
  local expired = redis.call('ZRANGEBYSCORE', leases, '-inf', string.format('(%.0f', @{namespace.now_us}),
    'WITHSCORES', 'LIMIT', 0, limit + 1)
  for i = 1, math.min(#expired, 2 * limit), 2 do
    @{orphans.plan_one}(found, expired[i], tonumber(expired[i + 1]))
  end
  @{listeners.probe}(queue)
  local present = redis.call('SCARD', @{namespace.key}('listeners', queue))
  local silent = @{orphans.silent}(queue, limit)
  local past = @{workers.plan_forget}()
  local sets, asked = @{patterns.plan_forget}()
  if placed then
    @{held_places.plan_released}(queue, found.freed)
  end
  @{namespace.begin}()

  redis.call('ZREM', leases, '', unpack(found.stale))
  do
    local us = @{namespace.now_us}
    redis.call('HSET', @{namespace.meta}, 'clock:1', us)
    if @{namespace.gap} then
      redis.call('HSET', @{namespace.meta}, 'gap', string.format('%.0f', @{namespace.gap}))
    end
  end
  redis.call('HSET', @{namespace.meta}, 'run', here or '', 'gap', string.format('%.0f', found.gap))
  if sets then
    redis.call('HSET', @{namespace.meta}, 'patterns', sets, 'asked', asked)
  end
  local counts = @{orphans.write}(found, queue, placed and found.freed or {})
  for _, listener in ipairs(silent) do
    @{listeners.remove}(queue, listener)
  end
  @{workers.forget}(past, @{namespace.decimal}(@{namespace.now_us} + @{listeners.keep}(queue)))
  if counts.pending > 0 then
    do
      local queue = queue
      local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
      local value_2_1
      do
        local queue, idle, sets = queue, idle[queue], idle['*']
        if idle then
          redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
        end
        if sets then
          do
            local queue = queue
            local ready = @{namespace.prefix} .. 'ready'
            if not @{namespace.declared} or @{namespace.is_here}(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if sets ~= '' then
            sets = @{wakeups.wake_sets}(sets, queue)
          end
        end
        redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
        value_2_1 = sets
      end
      local sets = value_2_1
      idle[queue], idle['*'] = nil, sets
    end
  end
  return { counts.pending + counts.scheduled, counts.failed, counts.cancelled, #found.postponed,
    #expired > 2 * limit and 1 or 0, present - #silent }
end

=== orphans.plan_one
function @{orphans.plan_one}(found, member, deadline)
  local id, token = string.match(member, '^(%S+) (%d+)$')
  local task = @{record.find}(id, 'max_losses', 'losses', 'lease', 'postponed', 'reclaimed_node', 'started',
    'stalled_losses', 'lost_delay')
  if not task or task.token ~= token then
    found.stale[#found.stale + 1], found.freed[#found.freed + 1] = member, { id = id, token = token }
    return
  elseif not @{record.held}(task) or (task.extra[5] and not (task.status == 'started' and task.extra[6])) then
    found.stale[#found.stale + 1], found.freed[#found.freed + 1] = member, task
    found.foreign[#found.foreign + 1] = task
    return
  end
  local gap, lease = found.gap, tonumber(task.extra[3] or 60000000)
  local waits = gap + lease > @{namespace.now_us} and deadline - lease < gap
  if waits and (found.restarted or tonumber(task.extra[4] or 0) ~= deadline) then
    task.deadline = string.format('%.0f', gap + lease)
    found.postponed[#found.postponed + 1] = task
    return
  end
  task.to = @{lost_attempts.target}(task, 'pending', { max_losses = task.extra[1], losses = task.extra[2],
    stalled_losses = task.extra[7], lost_delay = task.extra[8] })
  task.later = true
  @{state.plan}(task, task.to)
  found.lost[#found.lost + 1] = task
end

=== orphans.silent
function @{orphans.silent}(queue, limit)
  local silent = {}
  for _, listener in ipairs(redis.call('ZRANGEBYSCORE', @{namespace.key}('seen', queue), '-inf',
    @{namespace.decimal}(math.max(0, @{namespace.now_us} - @{listeners.keep}(queue))), 'LIMIT', 0, limit)) do
    if redis.call('LLEN', @{namespace.declare}(@{namespace.key}('reserved_tasks', queue .. '_' .. listener))) == 0 then
      @{workers.plan_leave}(listener)
      silent[#silent + 1] = listener
    end
  end
  return silent
end

=== orphans.write
function @{orphans.write}(found, queue, freed)
  for _, task in ipairs(found.postponed) do
    redis.call('ZADD', @{namespace.key}('leases', queue), task.deadline, @{record.lease}(task))
    redis.call('HSET', task.key, 'postponed', task.deadline)
  end
  for _, task in ipairs(freed) do
    @{held_places.release}(queue, task.id, task.token)
  end
  for _, task in ipairs(found.foreign) do
    redis.call('HDEL', task.key, 'token', 'lease', 'request')
    redis.call('HSET', task.key, 'ended', task.token, 'outcome', 'lost')
  end
  local counts = { pending = 0, scheduled = 0, failed = 0, cancelled = 0 }
  for _, task in ipairs(found.lost) do
    counts[task.to] = counts[task.to] + 1
    @{lost_attempts.move}(task, task.to, 'lost')
  end
  return counts
end

=== overdue.plan
function @{overdue.plan}(limit)
  local ids = redis.call('ZRANGEBYSCORE', @{namespace.declare}(@{holdings.deadlines}()), '-inf', @{namespace.now}, 'LIMIT', 0,
    limit)
  if not ids[1] then
    return nil
  end
  local step = { ids = {}, tasks = {} }
  local spec = { planned = {}, entries = 0 }
  for i, id in ipairs(ids) do
    local task = @{actions.find}(id)
    step.ids[i] = id
    if task then
      @{overdue.plan_one}(task, spec)
      step.tasks[#step.tasks + 1] = task.to and task
    end
    if spec.entries > 20000 then
      break
    end
  end
  return step
end

=== overdue.plan_one
function @{overdue.plan_one}(task, spec)
  if @{contract.is_final}(task.status) or not @{deadlines.has}(task) then
    return
  end
  @{holdings.load}(task)
  if not task.end_by or not @{deadlines.is_past}(task.end_by) then
    return
  elseif not @{record.held}(task) then
    task.group = 'deadline'
    @{actions.plan}(task, 'failed', spec)
  elseif not task.cancel then
    task.to = 'stopping'
    @{orders.plan}(task.queue)
    @{tracking.plan_note}(task)
  end
end

=== overdue.run
function @{overdue.run}(step)
  redis.call('ZREM', @{holdings.deadlines}(), unpack(step.ids))
  for _, task in ipairs(step.tasks) do
    if task.to == 'stopping' then
      @{orders.give}(task.queue, 't:' .. task.id, 'cancel')
      redis.call('HSET', task.key, 'cancel', @{namespace.now})
      @{tracking.note}(task, 'cancel', '', 'its deadline has passed', 'deadline')
    else
      @{state.move}(task, 'failed', 'deadline', '', 'group', 'deadline', 'error', 'its deadline has passed')
    end
  end
end

=== patterns.one
function @{patterns.one}(value, what)
  if #value > 128 or not string.find(value, '^!?[%w._:@*-]+$') then
    @{reply.fail}('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ - *,'
      .. ' after a ! for queues to leave out')
  end
  return value
end

=== patterns.text
function @{patterns.text}(value, what)
  if #value > 4096 then
    @{reply.fail}('BADARG', what .. ' may have ' .. 4096 .. ' characters in all: use fewer, wider ones')
  end
  for one in string.gmatch(value .. ',', '([^,]*),') do
    @{patterns.one}(one, what)
  end
  if not @{patterns.set}(value).wanted[1] then
    @{reply.fail}('BADARG', what .. ' match nothing: each leaves queues out, and none says which to take, such as *')
  end
  return value
end

=== patterns.cursor
function @{patterns.cursor}(value)
  if value ~= '0' and (#value > 132 or not string.find(value, '^[1-9]%d?%d?/[%w._:@-]*$')) then
    @{reply.fail}('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return value
end

=== patterns.parse
function @{patterns.parse}(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end

=== patterns.set
function @{patterns.set}(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = @{patterns.parse}(one)
  end
  return set
end

=== patterns.matches
function @{patterns.matches}(one, name)
  if one.text then
    return one.text == name
  end
  local parts = one.parts
  local first, last = parts[1], parts[#parts]
  local at, stop = #first + 1, #name - #last
  if stop < #first or string.sub(name, 1, #first) ~= first or string.sub(name, stop + 1) ~= last then
    return false
  end
  for i = 2, #parts - 1 do
    local _, to = string.find(name, parts[i], at, true)
    if not to or to > stop then
      return false
    end
    at = to + 1
  end
  return true
end

=== patterns.chooser
function @{patterns.chooser}(set)
  local matches, out, wanted = @{patterns.matches}, set.out, set.wanted
  return function(queue)
    for i = 1, #out do
      if matches(out[i], queue) then
        return nil
      end
    end
    for nth = 1, #wanted do
      if matches(wanted[nth], queue) then
        return nth
      end
    end
  end
end

=== patterns.index
function @{patterns.index}()
  return @{namespace.prefix} .. 'ready'
end

=== patterns.list
function @{patterns.list}(text)
  return @{namespace.prefix} .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end

=== patterns.wake
function @{patterns.wake}(list)
  redis.pcall('LPUSH', list, '1')
  redis.pcall('EXPIRE', list, 300)
end

=== patterns.remember
function @{patterns.remember}(sets, asked, text, sleeps, common)
  local keep, now = tonumber(@{settings.value}(nil, common, 'forget_after')), math.floor(@{namespace.now_us} / 1000000)
  local texts, times, known = {}, {}, false
  local function add(one, time)
    texts[#texts + 1], times[#times + 1] = one, string.match(@{patterns.list}(one), '%x+$') .. '=' .. time
  end
  for one in string.gmatch(sets, '%S+') do
    local time = tonumber(string.match(asked, string.match(@{patterns.list}(one), '%x+$') .. '=(%d+)') or now)
    local age = time <= now and now - time or keep
    if one == text then
      known = true
      add(one, age * 4 < keep and time or now)
    elseif time <= now and age * 4 < keep * 5 then
      add(one, time)
    elseif time > now then
      add(one, now)
    end
  end
  local fits = known or not sleeps or #texts < 32
  if sleeps and not known and fits then
    add(text, now)
  end
  return table.concat(texts, ' '), table.concat(times, ' '), fits
end

=== patterns.plan_forget
function @{patterns.plan_forget}()
  local meta = redis.call('HMGET', @{namespace.meta}, 'patterns', 'asked', 'settings')
  if (meta[1] or '') ~= '' then
    local sets, asked = @{patterns.remember}(meta[1], meta[2] or '', nil, false, meta[3])
    if sets ~= meta[1] or asked ~= (meta[2] or '') then
      return sets, asked
    end
  end
end

=== patterns.wake_sets
function @{patterns.wake_sets}(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = @{patterns.list}(text)
    if @{patterns.chooser}(@{patterns.set}(text))(queue) and (not @{namespace.declared} or @{namespace.is_here}(list)) then
      @{patterns.wake}(list)
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end

=== patterns.waits
function @{patterns.waits}(queue)
  local prefix = @{namespace.prefix}
  return redis.call('EXISTS', prefix .. 'pending_tasks_' .. queue, prefix .. 'pending_ranked_tasks_' .. queue) > 0
end

=== patterns.lives
function @{patterns.lives}(queue)
  local prefix, tasks = @{namespace.prefix}, '_tasks_' .. queue
  return redis.call('EXISTS', prefix .. 'pending' .. tasks, prefix .. 'pending_ranked' .. tasks,
    prefix .. 'scheduled' .. tasks, prefix .. 'scheduled_ranked' .. tasks, prefix .. 'leases_' .. queue) > 0
end

=== patterns.page
function @{patterns.page}(one, after)
  local index = @{patterns.index}()
  if one.text then
    return not after and redis.call('ZSCORE', index, one.text) and { one.text } or {}
  end
  local first = one.parts[1]
  local from = after and '(' .. after or first ~= '' and '[' .. first or '-'
  local to = first ~= '' and '(' .. first .. '\255' or '+'
  return redis.call('ZRANGE', index, from, to, 'BYLEX', 'LIMIT', '0', '50')
end

=== patterns.paused
function @{patterns.paused}(queues)
  local fields = {}
  for i = 1, #queues do
    fields[i] = 'paused:' .. queues[i]
  end
  return fields[1] and redis.call('HMGET', @{namespace.meta}, unpack(fields)) or {}
end

=== patterns.look
function @{patterns.look}(set, cursor, limit, live)
  local found, looks, size = { next = '0', gone = {} }, 1000, tonumber('50')
  local nth_of, waits, lives = @{patterns.chooser}(set), @{patterns.waits}, @{patterns.lives}
  local first, after = string.match(cursor, '^(%d+)/(.*)$')
  after = after ~= '' and after or nil
  for nth = tonumber(first) or 1, #set.wanted do
    local names
    repeat
      names = @{patterns.page}(set.wanted[nth], after)
      local paused = live and {} or @{patterns.paused}(names)
      for i = 1, #names do
        local queue = names[i]
        if #found == limit or looks == 0 then
          found.next = nth .. '/' .. (after or '')
          return found
        end
        looks, after = looks - 1, queue
        if nth_of(queue) == nth then
          local some = waits(queue)
          if not some and not lives(queue) then
            found.gone[#found.gone + 1] = queue
          elseif live or some and not paused[i] then
            found[#found + 1] = { name = queue, nth = nth }
          end
        end
      end
    until #names < size
    after = nil
  end
  return found
end

=== patterns.search
function @{patterns.search}(searched)
  local cursor, begun = string.match(searched or '', '^(%d+) (%d+)$')
  begun = tonumber(begun)
  if not begun or begun > @{namespace.now_us} or cursor == '0' and @{namespace.now_us} - begun >= 15000000 then
    cursor, begun = nil, @{namespace.now_us}
  elseif cursor == '0' then
    return nil
  end
  local page = redis.call('ZSCAN', @{namespace.prefix} .. 'queues', cursor or '0', 'COUNT', '250')
  local found, lives, index = {}, @{patterns.lives}, @{patterns.index}()
  for i = 1, #page[2], 2 do
    local queue = page[2][i]
    if lives(queue) and string.find(queue, '^[%w._:@-]+$') and not redis.call('ZSCORE', index, queue) then
      found[#found + 1] = queue
    end
  end
  return { found = found, more = page[1] ~= '0', at = page[1] .. ' ' .. string.format('%.0f', begun) }
end

=== peek_limits.key
function @{peek_limits.key}(look, key)
  local known = look.keys[key]
  if not known then
    known = @{limits.key_state}(look.queue, key, true)
    known.heads, look.keys[key] = {}, known
  end
  return known
end

=== peek_limits.take
function @{peek_limits.take}(known, weight)
  known.used, known.starts = known.used + weight, known.starts + 1
end

=== peek_limits.refuses
function @{peek_limits.refuses}(known, weight, of)
  local allows, free = @{limits.allows}(known, weight)
  return not allows and of .. (free and '_rate' or '_full') or nil, free
end

=== peek_limits.class_refuses
function @{peek_limits.class_refuses}(look, class)
  local pool, member = look.pool, look.queue .. ' ' .. class
  for _, part in ipairs(pool.parts[class]) do
    local limit = pool.known[part.name]
    if limit.missing or limit.most and limit.used + part.weight > limit.most then
      return 'limit_full'
    end
    local free = @{limits.allowed_at}(@{shared_limits.key}('rate', part.name), limit.rate, 0, look.shared[part.name] or 0)
    if free > @{namespace.now_us} then
      return 'limit_rate', free
    elseif not @{shared_turns.leaves}(pool, part, member) or not @{peek_limits.leaves}(look, part, class) then
      return 'limit_turn'
    end
  end
end

=== peek_limits.leaves
function @{peek_limits.leaves}(look, part, class)
  local limit, waits = look.pool.known[part.name], look.waits[part.name] or {}
  local places, first = 0, true
  if look.pool.asked[class] and not look.pool.left[look.queue .. ' ' .. class] then
    return true
  end
  for _, other in ipairs(limit.most and waits or {}) do
    if other.class == class then
      return true
    elseif first or limit.used + places + other.weight <= limit.most then
      places = places + other.weight
    end
    first = false
    if limit.used + places + part.weight > limit.most then
      return false
    end
  end
  return true
end

=== peeking.begin
function @{peeking.begin}(queue, listener, has, limit)
  local meta = redis.call('HMGET', @{namespace.meta}, 'paused:' .. queue, 'ranking:' .. queue)
  local look = { queue = queue, limit = limit, given = {}, gone = {}, keys = {}, orders = {}, unsuited = {}, waits = {},
    ghosts = {}, shared = {}, limits = @{limits.queue_state}(queue, true),
    has = @{needs.has}(has or listener and redis.call('HGET', @{namespace.key}('has', queue), listener)),
    plain = redis.call('LRANGE', @{namespace.key}('pending_tasks', queue), -limit - 10, -1) }
  look.ageing = meta[2] and tonumber(@{settings.get}(queue, 'ageing'))
  look.ageing = look.ageing and look.ageing * 1000000
  look.at = #look.plain
  if meta[1] then
    look.stop = 'paused'
  elseif listener and redis.call('HEXISTS', @{orders.key}(queue), 'l:' .. listener) == 1 then
    look.stop = 'draining'
  end
  local waiting = meta[2] and redis.call('HGETALL', @{namespace.key}('needs', queue)) or {}
  if meta[2] then
    waiting[#waiting + 1], waiting[#waiting + 2] = '', ''
  end
  for i = 1, #waiting, 2 do
    local class, number = waiting[i], string.match(waiting[i + 1], '^%d*')
    local wanted, bar = @{needs.of_class}(class)
    if wanted ~= '' and not @{needs.suits}(look.has, wanted) then
      look.unsuited[class] = true
    else
      if bar then
        look.pool = look.pool or @{shared_turns.look}(queue, waiting)
        look.pool.left = look.pool.left or {}
      end
      look.orders[#look.orders + 1] = { class = class, number = number, bar = bar,
        entries = @{peeking.load}(look, @{fairness.ranked_key}(queue, number)) }
    end
  end
  return look
end

=== peeking.load
function @{peeking.load}(look, key)
  local entries, low, levels = {}, '-inf', 0
  repeat
    local page = redis.call('ZRANGEBYSCORE', key, low, '+inf', 'WITHSCORES', 'LIMIT', 0, look.limit + 10)
    for i = 1, #page, 2 do
      if not look.ageing or page[i + 1] == page[2] then
        local rank, what = string.match(page[i], '^(%S+) (%S+)$')
        local key_name = string.sub(what, 1, 1) == '/' and string.sub(what, 2) or nil
        entries[#entries + 1] = { score = tonumber(page[i + 1]), order = @{fairness.sort_value}(rank), rank = rank,
          own = rank, what = what, key = key_name, id = not key_name and what or nil }
      end
    end
    levels = levels + 1
    low = look.ageing and page[2] and levels < 200 and '(' .. page[2]
  until not low
  return entries
end

=== peeking.head
function @{peeking.head}(look, key, number)
  local heads, list = @{peek_limits.key}(look, key).heads, @{fairness.tasks_key}(look.queue, key, number)
  local known = heads[number] or { entries = redis.call('ZRANGE', list, 0, 0, 'WITHSCORES'), from = 0, at = 1 }
  heads[number] = known
  while known.entries[known.at] do
    local rank, id, weight = string.match(known.entries[known.at], '^(%S+) (%S+) (%S+)$')
    if not look.gone[id] then
      return { own = rank, id = id, weight = weight, score = tonumber(known.entries[known.at + 1]) }
    end
    known.at = known.at + 2
    if not known.entries[known.at] then
      known.from = known.from + known.at / 2 - 0.5
      known.entries, known.at = redis.call('ZRANGE', list, known.from, known.from + 10 - 1, 'WITHSCORES'), 1
    end
  end
end

=== peeking.firsts
function @{peeking.firsts}(look, order, firsts)
  local last
  if order.bar then
    order.refused, order.till = @{peek_limits.class_refuses}(look, order.class)
  end
  for _, entry in ipairs(order.entries) do
    local head = entry.key and entry.score ~= last and @{peeking.head}(look, entry.key, order.number)
    if entry.score ~= last and (not entry.key and not look.gone[entry.id]
      or head and not @{peek_limits.refuses}(@{peek_limits.key}(look, entry.key), head.weight, 'key')) then
      last = entry.score
      if order.refused then
        look.asks = look.asks or {}
        look.asks[#look.asks + 1] = order.class
        return
      end
      if head then
        entry.id, entry.own = head.id, head.own
      end
      entry.class = order.class
      if not firsts[last] or @{ranking.precedes}(entry, firsts[last]) then
        firsts[last] = entry
      end
      if not look.ageing then
        return
      end
    end
  end
end

=== peeking.next_plain
function @{peeking.next_plain}(look)
  while look.at > 0 do
    local id = look.plain[look.at]
    local v = redis.call('HMGET', @{namespace.key}('task', id), 'status', 'queue', 'updated', 'flags', 'front')
    if look.gone[id] then
      look.at = look.at - 1
    elseif v[1] == 'pending' and v[2] == look.queue and not string.find(v[4] or '', 'r', 1, true) then
      return { plain = true, id = id, rank = @{fairness.list_rank}(v[3], v[5]), score = 0 }
    else
      look.gone[id], look.ghosts[#look.ghosts + 1] = true, id
    end
  end
end

=== peeking.next
function @{peeking.next}(look)
  look.stop, look.till = @{peek_limits.refuses}(look.limits, 1, 'queue')
  if look.stop then
    return nil
  end
  local firsts = { [0] = @{peeking.next_plain}(look) }
  look.asks = nil
  for _, order in ipairs(look.orders) do
    @{peeking.firsts}(look, order, firsts)
  end
  local best = @{ranking.choose}(firsts, look.ageing)
  if not best then
    return nil
  end
  local v = redis.call('HMGET', @{namespace.key}('task', best.id), 'status', 'queue', 'weight', 'key')
  look.gone[best.id] = true
  if v[1] ~= 'pending' or v[2] ~= look.queue then
    look.ghosts[#look.ghosts + 1] = best.id
    @{peeking.stand_again}(look, best.key)
    return @{peeking.next}(look)
  end
  best.weight = tonumber(v[3] or 1)
  look.stop, look.till = @{peek_limits.refuses}(look.limits, best.weight, 'queue')
  if look.stop then
    look.gone[best.id], look.blocked = nil, best.id
    return nil
  end
  @{peeking.take}(look, best)
  return best
end

=== peeking.take
function @{peeking.take}(look, task)
  @{namespace.now_us} = @{namespace.now_us} + 1
  look.given[#look.given + 1] = task
  @{peek_limits.take}(look.limits, task.weight)
  for _, class in ipairs(look.asks or {}) do
    if not look.pool.asked[class] or look.pool.left[look.queue .. ' ' .. class] then
      for _, part in ipairs(look.pool.parts[class]) do
        @{peeking.wait}(look, part, class)
      end
    end
  end
  for _, part in ipairs(task.class and look.pool and look.pool.parts[task.class] or {}) do
    local limit = look.pool.known[part.name]
    limit.used, look.shared[part.name] = limit.used + part.weight, (look.shared[part.name] or 0) + 1
    look.pool.left[look.queue .. ' ' .. task.class] = true
    for i, other in ipairs(look.waits[part.name] or {}) do
      if other.class == task.class then
        table.remove(look.waits[part.name], i)
        break
      end
    end
  end
  if task.key then
    local known = @{peek_limits.key}(look, task.key)
    @{peek_limits.take}(known, task.weight)
    known.served = @{fairness.rank}(@{namespace.now_us})
    @{peeking.stand_again}(look, task.key)
  end
end

=== peeking.wait
function @{peeking.wait}(look, part, class)
  local waits = look.waits[part.name] or {}
  look.waits[part.name] = waits
  for _, other in ipairs(waits) do
    if other.class == class then
      return
    end
  end
  waits[#waits + 1] = { class = class, weight = part.weight }
end

=== peeking.stand_again
function @{peeking.stand_again}(look, key)
  for _, order in ipairs(key and look.orders or {}) do
    for i = #order.entries, 1, -1 do
      if order.entries[i].key == key then
        table.remove(order.entries, i)
      end
    end
    local head, served = @{peeking.head}(look, key, order.number), @{peek_limits.key}(look, key).served
    if head then
      local rank, at = @{fairness.key_rank}(head.own, served), 1
      local entries, score, value = order.entries, head.score, @{fairness.sort_value}(rank)
      while entries[at] and (entries[at].score < score or entries[at].score == score and entries[at].order <= value) do
        at = at + 1
      end
      table.insert(entries, at, { score = score, order = value, rank = rank, own = head.own, what = '/' .. key,
        key = key, id = head.id })
    end
  end
end

=== peeking.reason
function @{peeking.reason}(look, id)
  local v = redis.call('HMGET', @{namespace.key}('task', id), 'key', 'weight', 'exclusive', 'needs', 'limits')
  local class = @{needs.class}({ needs = v[4] or nil, shared = v[5] or nil }) or ''
  if look.unsuited[class] then
    return 'needs'
  elseif v[1] then
    local known = @{peek_limits.key}(look, v[1])
    local why, till = @{peek_limits.refuses}(known, v[3] and 'exclusive' or v[2] or '1', 'key')
    local head = not why and @{peeking.head}(look, v[1], @{needs.number}(look.queue, class ~= '' and class) or '')
    if why then
      return why, till
    elseif head and head.id ~= id and @{peek_limits.refuses}(known, head.weight, 'key') then
      return 'behind'
    end
  end
  if string.find(class, '|', 1, true) and look.pool and look.pool.parts[class] then
    return @{peek_limits.class_refuses}(look, class)
  end
end

=== peeking.held_up
function @{peeking.held_up}(look, id)
  local key = redis.call('HGET', @{namespace.key}('task', id), 'key')
  local since = key and redis.call('ZSCORE', @{namespace.key}('delayed', look.queue), key)
  return key and (since and 'key_rate' or 'key_full'), since and tonumber(since)
end

=== peeking.passed
function @{peeking.passed}(look, answer)
  local last = #look.given == look.limit and look.given[look.limit]
  local room, value = look.limit, last and @{fairness.value}(last.score, last.rank, look.ageing)
  local function add(id, why, till)
    if room > 0 then
      room = room - 1
      @{reply.add}(answer, id, why, till and @{namespace.decimal}(till) or '')
    end
  end
  for _, id in ipairs(look.ghosts) do
    add(id, 'gone')
  end
  if look.blocked then
    add(look.blocked, look.stop, look.till)
  end
  local all = @{namespace.key}('pending_ranked_tasks', look.queue)
  local ranked = redis.call('ZRANGE', all, 0, 200 - 1, 'WITHSCORES')
  for i = 1, #ranked, 2 do
    local rank, id = string.match(ranked[i], '^(%S+) (%S+)$')
    local own = last and @{fairness.value}(tonumber(ranked[i + 1]), rank, look.ageing)
    if room > 0 and not look.gone[id] and id ~= look.blocked and (not last or own < value
      or own == value and @{fairness.sort_value}(rank) < @{fairness.sort_value}(last.rank)) then
      local why, till = @{peeking.reason}(look, id)
      if not why and look.stop then
        why, till = look.blocked and 'behind' or look.stop, not look.blocked and look.till or nil
      elseif not why and not last then
        why, till = @{peeking.held_up}(look, id)
      end
      if why then
        add(id, why, till)
      end
    end
  end
  for i = look.stop and look.at or 0, 1, -1 do
    local id = look.plain[i]
    if not look.gone[id] and id ~= look.blocked then
      add(id, look.blocked and 'behind' or look.stop, not look.blocked and look.till or nil)
    end
  end
end

=== picking.bytes
function @{picking.bytes}(fields)
  return #(fields[5] or '') + #(fields[10] or '')
end

=== picking.look_behind
function @{picking.look_behind}(call, first, fields)
  local prefix, queue, listener, number = @{namespace.prefix}, first.queue, call.listener, call.number or 0
  local run, seen = { first }, { [first.id] = true }
  local bytes = (call.bytes or 0) + @{picking.bytes}(fields)
  first.fields = fields
  local ids = number + 1 < call.limit
    and redis.call('LRANGE', prefix .. 'pending_tasks_' .. queue, number - call.limit, -2) or {}
  for i = #ids, 1, -1 do
    local id = ids[i]
    local value_1_1
    do
      local id = id
      local key = @{namespace.prefix} .. 'task_' .. id
      local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'outcome', 'parameters', 'updated', 'flags')
      if v[4] or v[3] ~= '0' then
        local ended = redis.call('HMGET', key, 'losses', 'failures', 'checkpoint')
        v[8], v[9], v[10] = ended[1], ended[2], ended[3]
      end
      value_1_1 = v
    end
    local v = value_1_1
    if v[1] ~= 'pending' or v[2] ~= queue or not v[3] or v[7] or seen[id] or bytes > 8388608 then
      break
    end
    seen[id] = true
    bytes = bytes + @{picking.bytes}(v)
    run[#run + 1] = {
      id = id, queue = queue, status = 'pending', attempt = v[3], since = v[6], taker = listener, fields = v,
      issue = false, deadline = false, ends = false, lease = false,
    }
  end
  call.run = run[2] and run
end

=== prioritising.plan
function @{prioritising.plan}(task, spec)
  if not @{contract.is_waiting}(task.status) then
    return @{actions.refuse}(task, 'waiting, scheduled, pending or held')
  elseif task.flags then
    @{holdings.load}(task)
  end
  if tonumber(task.priority or 0) == tonumber(spec.priority) then
    return
  end
  task.to = 'prioritised'
  @{tracking.plan_note}(task)
  @{prioritising.plan_place}(task, { priority = spec.priority, fair_key = task.fair_key, needs = task.needs,
    shared = task.shared, weight = task.weight, exclusive = task.exclusive, limited = task.limited }, spec)
end

=== prioritising.prioritise
function @{prioritising.prioritise}(task, spec)
  redis.call('HSET', task.key, 'priority', spec.priority, 'flags', 'r' .. string.gsub(task.flags or '', 'r', ''))
  @{prioritising.place}(task, spec)
  @{tracking.note}(task, 'edit', spec.by, 'priority', 'prioritise')
end

=== prioritising.plan_place
function @{prioritising.plan_place}(task, fresh, spec)
  local queue = task.queue
  task.fresh, fresh.id, fresh.queue, fresh.ranked = fresh, task.id, queue, true
  if task.foreign then
    @{namespace.probe}('ZCARD', @{namespace.key}('tasks', queue))
  end
  if task.status == 'scheduled' then
    task.at = redis.call('ZSCORE', @{namespace.declare}(@{namespace.key}('scheduled_tasks', queue)), task.id)
    @{namespace.probe}('ZCARD', @{namespace.key}('scheduled_ranked_tasks', queue))
  elseif task.status == 'pending' then
    @{actions.seek}(task, spec)
    if not task.rank then
      @{namespace.probe}('LLEN', @{namespace.key}('pending_tasks', queue))
    end
    @{ranking.plan}(fresh)
    if task.rank and (task.fair_key ~= fresh.fair_key or @{needs.class}(task) ~= @{needs.class}(fresh)) then
      @{ranking.plan}(task)
      if task.fair_key then
        @{namespace.probe}('ZCARD', @{fairness.tasks_key}(queue, task.fair_key, @{needs.plan}(queue, @{needs.class}(fresh))))
      end
    end
    if task.fair_key or fresh.fair_key or @{settings.get}(queue, 'concurrency') then
      @{state.plan_left}(task)
    end
  end
end

=== prioritising.place
function @{prioritising.place}(task, spec)
  local fresh = task.fresh
  if task.foreign then
    redis.call('ZADD', @{namespace.key}('tasks', task.queue), task.extra[2] or '0', task.id)
  end
  if task.at then
    redis.call('ZADD', @{namespace.key}('scheduled_ranked_tasks', task.queue), task.at, task.id)
    redis.call('ZREM', @{namespace.key}('scheduled_tasks', task.queue), task.id)
  end
  if task.status ~= 'pending' then
    return
  end
  if task.rank and fresh.place then
    fresh.rank = task.rank
    if task.fair_key ~= fresh.fair_key or @{needs.class}(task) ~= @{needs.class}(fresh)
      or task.fair_key and @{ranking.member}(task) ~= @{ranking.member}(fresh) then
      do
        local task = fresh
        local queue, score = task.queue, -tonumber(task.priority or 0)
        local number = @{needs.count}(queue, @{needs.class}(task), 1)
        if task.fair_key then
          local served = task.turn and redis.call('HSETNX', @{namespace.key}('turns', queue), task.fair_key,
            @{fairness.rank}(math.min(task.turn, @{namespace.now_us}))) == 1
          redis.call('ZADD', @{fairness.tasks_key}(queue, task.fair_key, number), score, @{ranking.member}(task))
          if served then
            @{fairness.refresh_all}(queue, task.fair_key)
          else
            @{fairness.refresh}(queue, task.fair_key, number)
          end
        else
          redis.call('ZADD', @{fairness.ranked_key}(queue, number), score, task.rank .. ' ' .. task.id)
        end
      end
      do
        local task, to = task, ''
        local queue = task.queue
        local class = @{needs.class}(task)
        local number = @{needs.number}(queue, class)
        if task.fair_key then
          redis.call('ZREM', @{fairness.tasks_key}(queue, task.fair_key, number), @{ranking.member}(task))
          if @{record.takes}(task, to) then
            @{held_places.take}(task)
          end
          @{fairness.refresh_all}(queue, task.fair_key)
        else
          redis.call('ZREM', @{fairness.ranked_key}(queue, number), task.rank .. ' ' .. task.id)
          if task.limited and @{record.takes}(task, to) then
            @{held_places.take}(task)
          end
        end
        @{needs.count}(queue, class, -1)
      end
    end
  else
    @{ranking.add}(fresh)
    if task.rank then
      @{ranking.remove}(task, '')
      redis.call('HSET', task.key, 'rank', fresh.rank)
    else
      redis.call('LREM', @{namespace.key}('pending_tasks', task.queue), task.from_end or -1, task.id)
    end
  end
  spec.wakes = task.wakes and task.queue or spec.wakes
end

=== promotion.promote
function @{promotion.promote}(queue, limit, limited)
  local ranked = redis.call('HGET', @{namespace.meta}, 'ranking:' .. queue)
  local sets = { @{namespace.key}('scheduled_tasks', queue), @{namespace.key}('scheduled_ranked_tasks', queue) }
  local waiting, later = {}, nil
  for i, set in ipairs(sets) do
    waiting[i] = redis.call('ZRANGEBYSCORE', set, '-inf', @{namespace.now}, 'LIMIT', 0, limit + 1, 'WITHSCORES')
    local next = redis.call('ZRANGEBYSCORE', set, '(' .. @{namespace.now}, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
    if not later or next and tonumber(next) < tonumber(later) then
      later = next
    end
  end
  local due, tasks, strays = (#waiting[1] + #waiting[2]) / 2, {}, {}
  local at = { 1, 1 }
  for _ = 1, math.min(due, limit) do
    local one, other = tonumber(waiting[1][at[1] + 1]), tonumber(waiting[2][at[2] + 1])
    local i = (not one or other and other < one) and 2 or 1
    local id = waiting[i][at[i]]
    at[i] = at[i] + 2
    local task = @{record.find}(id, 'front', 'ended', 'retry_eta')
    if task and task.status == 'scheduled' and task.queue == queue then
      if task.extra[1] then
        task.front, task.turn = true, tonumber(task.extra[2])
      end
      if task.extra[3] then
        task.forget = { 'eta', 'retry_eta' }
      end
      tasks[#tasks + 1] = task
    else
      strays[#strays + 1] = { sets[i], id }
    end
  end
  local planned = {}
  for _, task in ipairs(tasks) do
    if task.flags or not planned.plain then
      @{state.plan}(task, 'pending')
      planned.plain = planned.plain or not task.flags
    end
  end
  if #tasks > 0 then
    @{namespace.probe}('ZCARD', @{namespace.key}('tasks', queue))
  end
  local looks = ranked or limited or redis.pcall('EXISTS', @{namespace.key}('delayed', queue)) == 1
  local held_up = looks and @{fairness.plan_due}(queue, limit, limited) or { keys = {} }
  if held_up.wakes then
    @{wakeups.plan}(queue)
  end
  local answer = { #tasks, (due > limit or held_up.more) and 1 or 0, later or '' }
  if held_up.next and (answer[3] == '' or held_up.next < answer[3] * 1000000) then
    answer[3] = @{namespace.decimal}(held_up.next)
  end
  for _, stray in ipairs(strays) do
    @{namespace.declare}(stray[1])
  end
  @{namespace.begin}()
  @{fairness.refresh_due}(queue, held_up)
  for _, stray in ipairs(strays) do
    redis.call('ZREM', unpack(stray))
  end
  for _, task in ipairs(tasks) do
    local value_1_1
    do
      local task = task
      local since, now = task.since, @{namespace.now}
      if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
        now = since
      end
      value_1_1 = now
    end
    local now = value_1_1
    @{state.move}(task, 'pending', 'promote', '', 'promoted', now)
  end
  if #tasks > 0 or held_up.wakes then
    do
      local queue = queue
      local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
      local value_2_1
      do
        local queue, idle, sets = queue, idle[queue], idle['*']
        if idle then
          redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
        end
        if sets then
          do
            local queue = queue
            local ready = @{namespace.prefix} .. 'ready'
            if not @{namespace.declared} or @{namespace.is_here}(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if sets ~= '' then
            sets = @{wakeups.wake_sets}(sets, queue)
          end
        end
        redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
        value_2_1 = sets
      end
      local sets = value_2_1
      idle[queue], idle['*'] = nil, sets
    end
  end
  return answer
end

=== queue_positions.list_order
function @{queue_positions.list_order}(queue)
  local list = @{namespace.key}('pending_tasks', queue)
  return { number = redis.call('LLEN', list), read = function(first, last, bare)
    local ids, ranks = {}, {}
    local page = redis.call('LRANGE', list, -last - 1, -first - 1)
    for i = #page, 1, -1 do
      ids[#ids + 1] = page[i]
      local v = bare and {} or redis.call('HMGET', @{namespace.prefix} .. 'task_' .. page[i], 'updated', 'front')
      ranks[#ranks + 1] = not bare and @{fairness.sort_value}(@{fairness.list_rank}(v[1], v[2])) or nil
    end
    return ids, ranks
  end }
end

=== queue_positions.ranked_order
function @{queue_positions.ranked_order}(queue, low, high, before)
  local all = @{namespace.key}('pending_ranked_tasks', queue)
  return { number = redis.call('ZCOUNT', all, low, high), read = function(first, last)
    local ids, ranks = {}, {}
    for _, member in ipairs(redis.call('ZRANGE', all, before + first, before + last)) do
      local rank, id = string.match(member, '^(%S+) (%S+)$')
      ids[#ids + 1], ranks[#ranks + 1] = id, @{fairness.sort_value}(rank)
    end
    return ids, ranks
  end }
end

=== queue_positions.scheduled_order
function @{queue_positions.scheduled_order}(kind, queue)
  local set = @{namespace.key}(kind, queue)
  return { number = redis.call('ZCARD', set), read = function(first, last)
    local ids, spots = {}, {}
    local page = redis.call('ZRANGE', set, first, last, 'WITHSCORES')
    for i = 1, #page, 2 do
      ids[#ids + 1], spots[#spots + 1] = page[i], tonumber(page[i + 1])
    end
    return ids, spots
  end }
end

=== queue_positions.count
function @{queue_positions.count}(order, place, below)
  local function passed(other)
    return other < place or other == place and not below
  end
  local near = math.min(order.number, 100)
  local _, ranks = order.read(0, near - 1)
  for i, other in ipairs(near > 0 and ranks or {}) do
    if not passed(other) then
      return i - 1
    end
  end
  local low, high = near, order.number
  while low < high do
    local middle = math.floor((low + high) / 2)
    local _, found = order.read(middle, middle)
    if found[1] and passed(found[1]) then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end

=== queue_positions.split
function @{queue_positions.split}(one, other, from)
  local low, high = math.max(0, from - other.number), math.min(one.number, from)
  if low < high and from <= 100 then
    return 0, 0
  end
  while low < high do
    local middle = math.floor((low + high) / 2)
    local _, mine = one.read(middle, middle)
    local _, rival = other.read(from - middle - 1, from - middle - 1)
    if mine[1] and rival[1] and mine[1] <= rival[1] then
      low = middle + 1
    else
      high = middle
    end
  end
  return low, from - low
end

=== queue_positions.page
function @{queue_positions.page}(one, other, from, limit)
  local at, by = @{queue_positions.split}(one, other, from)
  local skipped = from - at - by
  local far = skipped + limit - 1
  local bare = at >= one.number or by >= other.number
  local mine, ranks = one.read(at, at + far, bare)
  local theirs, rivals = {}, {}
  if by < other.number then
    theirs, rivals = other.read(by, math.min(by + far, other.number - 1), bare)
  end
  local ids, i, j = {}, 1, 1
  for n = 1, math.min(far + 1, #mine + #theirs) do
    local id
    if not theirs[j] or mine[i] and ranks[i] <= rivals[j] then
      id, i = mine[i], i + 1
    else
      id, j = theirs[j], j + 1
    end
    if n > skipped then
      ids[#ids + 1] = id
    end
  end
  return ids
end

=== queue_positions.list
function @{queue_positions.list}(queue, from, limit)
  local plain = @{queue_positions.list_order}(queue)
  if redis.call('EXISTS', @{namespace.key}('pending_ranked_tasks', queue)) == 0 then
    return (plain.read(from, from + limit - 1, true))
  end
  local ids = {}
  local urgent = @{queue_positions.ranked_order}(queue, '-inf', '(0', 0)
  local level = @{queue_positions.ranked_order}(queue, 0, 0, urgent.number)
  local low = @{queue_positions.ranked_order}(queue, '(0', '+inf', urgent.number + level.number)
  local before, last = 0, from + limit - 1
  for _, part in ipairs({ { urgent }, { plain, level }, { low } }) do
    local number = part[1].number + (part[2] and part[2].number or 0)
    local first = math.max(0, from - before)
    local most = math.min(number, last - before + 1) - first
    local page = {}
    if most > 0 and part[2] then
      page = @{queue_positions.page}(part[1], part[2], first, most)
    elseif most > 0 then
      page = part[1].read(first, first + most - 1)
    end
    @{reply.add}(ids, unpack(page))
    before = before + number
  end
  return ids
end

=== queue_positions.ahead
function @{queue_positions.ahead}(task, far)
  local queue, priority = task.queue, tonumber(task.priority or 0)
  local all = @{namespace.key}('pending_ranked_tasks', queue)
  if task.rank then
    local ahead = redis.call('ZRANK', all, task.rank .. ' ' .. task.id) or 0
    if priority <= 0 and ahead < far then
      local plain = @{queue_positions.list_order}(queue)
      ahead = ahead + (priority < 0 and plain.number or @{queue_positions.count}(plain, @{fairness.sort_value}(task.rank)))
    end
    return math.min(ahead, far)
  end
  local list = @{namespace.key}('pending_tasks', queue)
  local at = redis.call('LPOS', list, task.id, 'RANK', -1, 'MAXLEN', far)
  local number = redis.call('LLEN', list)
  if not at then
    return number > far and far or nil
  end
  at = number - 1 - at
  local urgent = redis.call('ZCOUNT', all, '-inf', '(0')
  local level = @{queue_positions.ranked_order}(queue, 0, 0, urgent)
  if level.number > 0 then
    local plain = @{queue_positions.list_order}(queue)
    local _, ranks = plain.read(0, math.min(at, 100))
    local _, own = plain.read(at, at)
    level.number = @{queue_positions.count}(level, math.max(own[1], unpack(ranks)), true)
  end
  return math.min(at + urgent + level.number, far)
end

=== queued_round.key
function @{queued_round.key}(id)
  return @{namespace.prefix} .. 'next_round_' .. id
end

=== queued_round.has
function @{queued_round.has}(task)
  return task.flags and string.find(task.flags, 'a', 1, true)
end

=== queued_round.plan_end
function @{queued_round.plan_end}(task, to)
  if to == 'deleted' then
    local key = @{namespace.declare}(@{queued_round.key}(task.id))
    task.edge_keys = task.edge_keys or {}
    task.edge_keys[#task.edge_keys + 1] = key
    task.next_shared = redis.call('HGET', key, '/limits') or nil
    if task.next_shared then
      @{shared_count.plan}()
    end
  elseif not @{contract.is_final}(task.status) then
    @{namespace.probe}('ZCARD', @{edges.deferred}())
    task.deferred = true
  end
end

=== queued_round.options
function @{queued_round.options}(last)
  local given = {}
  for i = last + 1, #ARGV, 2 do
    local name = ARGV[i]
    if not string.find(' again once_more by request max_bytes unique_policy ', ' ' .. name .. ' ', 1, true) then
      given[#given + 1], given[#given + 2] = '/' .. name, ARGV[i + 1]
    end
  end
  return given
end

=== ranking.plan
function @{ranking.plan}(task)
  local queue, probe = task.queue, @{namespace.probe}
  if task.limited then
    probe('HLEN', @{namespace.key}('places', queue))
  end
  if task.ranked then
    @{namespace.require_settled_slot}()
    probe('ZCARD', @{namespace.key}('pending_ranked_tasks', queue))
    local numbers = task.fair_key and @{needs.numbers}(queue) or {}
    local class = @{needs.class}(task)
    numbers[#numbers + 1] = class and @{needs.plan}(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', @{fairness.ranked_key}(queue, number))
      if task.fair_key then
        probe('ZCARD', @{fairness.tasks_key}(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', @{namespace.key}('turns', queue))
    probe('HLEN', @{namespace.key}('limits', queue))
    probe('ZCARD', @{namespace.key}('delayed', queue))
    probe('LLEN', @{limits.starts_key}(queue, task.fair_key))
    @{settings.get}(queue, 'key_rate')
  end
end

=== ranking.member
function @{ranking.member}(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.exclusive and 'exclusive' or task.weight or '1')
end

=== ranking.add
function @{ranking.add}(task)
  local queue = task.queue
  local field = 'ranking:' .. queue
  local last = math.max(tonumber(redis.call('HGET', @{namespace.meta}, field) or 0) + 1, @{namespace.now_us})
  redis.call('HSET', @{namespace.meta}, field, string.format('%.0f', last))
  task.rank = task.place or task.front and @{fairness.front_rank}(last) or @{fairness.rank}(last)
  redis.call('ZADD', @{namespace.key}('pending_ranked_tasks', queue), -tonumber(task.priority or 0),
    task.rank .. ' ' .. task.id)
  do
    local task = task
    local queue, score = task.queue, -tonumber(task.priority or 0)
    local number = @{needs.count}(queue, @{needs.class}(task), 1)
    if task.fair_key then
      local served = task.turn and redis.call('HSETNX', @{namespace.key}('turns', queue), task.fair_key,
        @{fairness.rank}(math.min(task.turn, @{namespace.now_us}))) == 1
      redis.call('ZADD', @{fairness.tasks_key}(queue, task.fair_key, number), score, @{ranking.member}(task))
      if served then
        @{fairness.refresh_all}(queue, task.fair_key)
      else
        @{fairness.refresh}(queue, task.fair_key, number)
      end
    else
      redis.call('ZADD', @{fairness.ranked_key}(queue, number), score, task.rank .. ' ' .. task.id)
    end
  end
  redis.call('HSET', @{namespace.prefix} .. 'task_' .. task.id, 'rank', task.rank)
end

=== ranking.remove_from_index
function @{ranking.remove_from_index}(queue, member)
  local all = @{namespace.key}('pending_ranked_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', @{namespace.meta}, 'ranking:' .. queue)
  end
end

=== ranking.remove
function @{ranking.remove}(task, to)
  @{ranking.remove_from_index}(task.queue, task.rank .. ' ' .. task.id)
  do
    local task, to = task, to
    local queue = task.queue
    local class = @{needs.class}(task)
    local number = @{needs.number}(queue, class)
    if task.fair_key then
      redis.call('ZREM', @{fairness.tasks_key}(queue, task.fair_key, number), @{ranking.member}(task))
      if @{record.takes}(task, to) then
        @{held_places.take}(task)
      end
      @{fairness.refresh_all}(queue, task.fair_key)
    else
      redis.call('ZREM', @{fairness.ranked_key}(queue, number), task.rank .. ' ' .. task.id)
      if task.limited and @{record.takes}(task, to) then
        @{held_places.take}(task)
      end
    end
    @{needs.count}(queue, class, -1)
  end
  redis.call('HDEL', @{namespace.prefix} .. 'task_' .. task.id, 'rank')
end

=== ranking.first
function @{ranking.first}(queue, number, stale, low)
  local ranked = @{fairness.ranked_key}(queue, number)
  for i = 0, 10 - 1 do
    local entry = redis.call('ZRANGEBYSCORE', ranked, low, '+inf', 'WITHSCORES', 'LIMIT', i, 1)
    if not entry[1] then
      return nil
    end
    local rank, what = string.match(entry[1], '^(%S+) (%S+)$')
    local found = { rank = rank, own = rank, score = tonumber(entry[2]), id = what, number = number, member = entry[1] }
    if string.sub(what, 1, 1) ~= '/' then
      return found
    end
    local key = string.sub(what, 2)
    found.key = key
    local head = redis.call('ZRANGE', @{fairness.tasks_key}(queue, key, number), 0, 0)[1]
    local weight
    found.member = head
    found.own, found.id, weight = string.match(head or '', '^(%S+) (%S+) (%S+)$')
    if found.id and @{limits.fits}(queue, key, weight) then
      return found
    end
    stale[#stale + 1] = key
  end
end

=== ranking.plan_discard
function @{ranking.plan_discard}(queue, ghost)
  @{namespace.probe}('ZCARD', @{namespace.key}('pending_ranked_tasks', queue))
  @{namespace.probe}('ZCARD', @{fairness.ranked_key}(queue, ghost.number))
  @{namespace.probe}('HLEN', @{namespace.key}('needs', queue))
  if ghost.key then
    @{fairness.plan_refresh}(queue, { ghost.key })
  end
end

=== ranking.discard
function @{ranking.discard}(queue, ghost)
  local rank, id = string.match(ghost.member, '^(%S+) (%S+)')
  @{ranking.remove_from_index}(queue, rank .. ' ' .. id)
  if ghost.key then
    redis.call('ZREM', @{fairness.tasks_key}(queue, ghost.key, ghost.number), ghost.member)
    @{fairness.refresh_all}(queue, ghost.key)
  else
    redis.call('ZREM', @{fairness.ranked_key}(queue, ghost.number), ghost.member)
  end
  local known = redis.call('HGETALL', @{namespace.key}('needs', queue))
  for i = 1, #known, 2 do
    if string.match(known[i + 1], '^%d+') == ghost.number then
      @{needs.count}(queue, known[i], -1)
    end
  end
end

=== ranking.precedes
function @{ranking.precedes}(one, other)
  local rank, rival = @{fairness.sort_value}(one.rank), @{fairness.sort_value}(other.rank)
  if rank == rival then
    rank, rival = @{fairness.sort_value}(one.own), @{fairness.sort_value}(other.own or other.rank)
  end
  return rank < rival or rank == rival and not other.plain and one.id < other.id
end

=== ranking.choose
function @{ranking.choose}(firsts, ageing)
  local best, least
  for score, first in pairs(firsts) do
    local value = @{fairness.value}(score, first.rank, ageing)
    if not best or value < least
      or value == least and @{fairness.sort_value}(first.rank) < @{fairness.sort_value}(best.rank) then
      best, least = first, value
    end
  end
  return best
end

=== ranking.next
function @{ranking.next}(queue, known, best, stale)
  @{namespace.require_settled_slot}()
  local ageing = (known.own or known.common) and tonumber(@{settings.get}(queue, 'ageing'))
  ageing = ageing and ageing * 1000000
  local waiting = redis.call('HGETALL', @{namespace.key}('needs', queue))
  local has = #waiting > 0 and @{needs.has}(redis.call('HGET', @{namespace.key}('has', queue), known.listener))
  waiting[#waiting + 1], waiting[#waiting + 2] = '', ''
  local levels, firsts, shut = 0, { [0] = best }, nil
  for i = 1, #waiting, 2 do
    local number = string.match(waiting[i + 1], '^%d*')
    local class = waiting[i]
    local wanted, bar = @{needs.of_class}(class)
    local low = wanted ~= '' and not @{needs.suits}(has, wanted) and '+inf' or '-inf'
    if bar and low == '-inf' then
      if not shut then
        known.pool, shut = @{shared_turns.look}(queue, waiting), @{shared_turns.is_shut}
      end
      low = shut(known.pool, class) and '+inf' or low
    end
    while low ~= '+inf' do
      local found = @{ranking.first}(queue, number, stale, low)
      if bar and found then
        found = @{shared_turns.admits}(known.pool, class) and found
        if found then
          found.class = class
        end
      end
      if found and (not firsts[found.score] or @{ranking.precedes}(found, firsts[found.score])) then
        firsts[found.score] = found
      end
      levels = levels + 1
      low = found and ageing and levels < 200 and '(' .. found.score or '+inf'
    end
  end
  return @{ranking.choose}(firsts, ageing)
end

=== ranking.facts
function @{ranking.facts}(task)
  local queue, key = task.queue, task.fair_key
  local own = @{limits.queue_state}(queue)
  local _, free = @{limits.rate_allows}(own.list, own.rate, own.since)
  local facts = {
    'able', task.needs and @{needs.able}(queue, task.needs) or '',
    'concurrency', @{settings.get}(queue, 'concurrency') or '', 'used', @{limits.used}(queue),
    'rate_until', free and @{namespace.decimal}(free) or '',
  }
  if key then
    local value_1_1
    do
      local queue, key, counts = queue, key, true
      local most, rate, since = @{limits.of_key}(queue, key)
      local used = (most or counts) and redis.call('HGET', @{namespace.key}('places', queue), 'k:' .. key)
      value_1_1 = { most = most, used = tonumber(used or 0), rate = rate, since = since, list = @{limits.starts_key}(queue, key),
        starts = 0 }
    end
    local known = value_1_1
    local _, key_free = @{limits.rate_allows}(known.list, known.rate, known.since)
    @{reply.add}(facts, 'key_concurrency', task.exclusive or known.most or '', 'key_used', tostring(known.used),
      'key_rate_until', key_free and @{namespace.decimal}(key_free) or '')
  end
  if task.needs then
    @{reply.add}(facts, 'lacking', @{needs.lacking}(queue, task.needs))
  end
  @{reply.add}(facts, unpack(task.shared and @{shared_turns.facts}(task) or {}))
  return facts
end

=== ranking.earliest
function @{ranking.earliest}(task, ahead)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held, most = @{namespace.key}('places', queue), tonumber(@{settings.get}(queue, 'concurrency'))
  if task.shared and @{shared_turns.facts}(task)[3] then
    return nil
  end
  if most then
    local busy, extra = redis.call('ZCARD', @{namespace.key}('leases', queue)),
      tonumber(redis.call('HGET', held, 'extra') or 0)
    if (extra > 0 or weight > 1) and busy + extra + math.min(weight, most) > most then
      return nil
    end
  end
  local free = @{limits.allowed_at}(@{limits.starts_key}(queue), @{settings.get}(queue, 'rate'), @{settings.since}(queue, 'rate'),
    ahead)
  if key then
    local own, rate, since = @{limits.of_key}(queue, key)
    if task.exclusive then
      own, weight = 1, 1
    end
    local order = @{fairness.tasks_key}(queue, key, @{needs.number}(queue, @{needs.class}(task)) or '')
    local before = task.rank and redis.call('ZRANK', order, @{ranking.member}(task)) or 0
    if own and tonumber(redis.call('HGET', held, 'k:' .. key) or 0) + before + math.min(weight, own) > own then
      return nil
    end
    free = math.max(free, @{limits.allowed_at}(@{limits.starts_key}(queue, key), rate, since, before))
  end
  return free
end

=== record.find
function @{record.find}(id, ...)
  local key = @{namespace.prefix} .. 'task_' .. id
  if @{namespace.declared} then
    @{namespace.declare}(key)
  end
  local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'token', 'node', 'pid', 'cancel', 'updated', 'flags',
    'requeue', ...)
  if not v[1] then
    return nil
  end
  return {
    id = id, key = key, status = v[1], queue = v[2] or '', attempt = v[3] or '0', foreign = not v[3],
    token = v[4] or '', node = v[5] or '', pid = v[6] or '', cancel = v[7], since = v[8], flags = v[9] or nil,
    requeue = v[10], extra = { unpack(v, 11, 10 + select('#', ...)) },
  }
end

=== record.get
function @{record.get}(id, ...)
  local task = @{record.find}(id, ...)
  if not task or task.queue == '' then
    @{namespace.check_slot}(@{namespace.prefix} .. 'task_' .. id)
    @{reply.fail}('NOTASK', 'no task has this id: it was never submitted, or was deleted, or removed by retention')
  end
  return task
end

=== record.held
function @{record.held}(task)
  return task.status == 'reserved' or task.status == 'started'
end

=== record.created
function @{record.created}(id)
  return tonumber(redis.call('HGET', @{namespace.prefix} .. 'task_' .. id, 'created') or 0)
end

=== record.refuse
function @{record.refuse}(status, allowed)
  @{reply.fail}('STATE', 'the task is ' .. status .. '; this is for one that is ' .. allowed)
end

=== record.lease
function @{record.lease}(task)
  return task.id .. ' ' .. task.token
end

=== record.attempt_fields
function @{record.attempt_fields}()
  return 'node', 'pid', 'reclaimed_node', 'cancel', 'requeue', 'reserved', 'started', 'progress', 'progressed'
end

=== record.outcome
function @{record.outcome}(stored, ended)
  local outcome = stored or ended and 'complete'
  return outcome
end

=== record.takes
function @{record.takes}(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end

=== record.time
function @{record.time}(task)
  local since, now = task.since, @{namespace.now}
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    now = since
  end
  return now
end

=== recount.queues
function @{recount.queues}(key, queue, shared)
  local all = @{namespace.prefix} .. 'queues'
  if redis.call('EXISTS', @{shared_limits.key}('limits')) == 0 and redis.call('EXISTS', key) == 0
    or redis.call('ZCARD', all) > 1000 or shared and redis.call('ZREVRANGE', all, 0, 0)[1] ~= queue then
    return nil
  end
  return redis.call('ZRANGE', all, 0, -1)
end

=== recount.wrong
function @{recount.wrong}(queue, shared)
  local key = @{shared_limits.key}('places')
  local queues, left = @{recount.queues}(key, queue, shared), 2000
  if not queues then
    return {}
  end
  for i = 1, #queues do
    local held = @{namespace.declare}(@{namespace.prefix} .. 'places_' .. queues[i])
    queues[i], left = held, left - redis.call('HLEN', held)
  end
  if left < 0 or redis.call('HLEN', key) > 2000 then
    return {}
  end
  local taken = {}
  for i = 1, #queues do
    local places = redis.call('HGETALL', queues[i])
    for at = 1, #places, 2 do
      local set = string.find(places[at], '^a:') and string.match(places[at + 1], '^%d+ %S* (%S+)$')
      for _, part in ipairs(set and @{shared_limits.parts}(set) or {}) do
        taken[part.name] = (taken[part.name] or 0) + part.weight
      end
    end
  end
  return @{recount.compare}(key, taken)
end

=== recount.compare
function @{recount.compare}(key, taken)
  local wrong, noted = {}, redis.call('HGETALL', key)
  for i = 1, #noted, 2 do
    local number = taken[noted[i]] or 0
    if tonumber(noted[i + 1]) ~= number then
      wrong[#wrong + 1], wrong[#wrong + 2] = noted[i], number
    end
    taken[noted[i]] = nil
  end
  for name, number in pairs(taken) do
    wrong[#wrong + 1], wrong[#wrong + 2] = name, number
  end
  return wrong
end

=== recount.wrong_tasks
function @{recount.wrong_tasks}(queue, shared)
  local key, plans = @{shared_limits.key}('tasks'), @{namespace.prefix} .. 'schedules'
  local queues, left = @{recount.queues}(key, queue, shared), 2000 - redis.call('ZCARD', plans)
  if not queues or redis.call('HLEN', @{namespace.declare}(key)) > 2000 then
    return {}
  end
  for _, name in ipairs(queues) do
    left = left - redis.call('ZCARD', @{namespace.key}('tasks', name))
  end
  if left < 0 then
    return {}
  end
  local named = {}
  local function add(set)
    for _, part in ipairs(set and @{shared_limits.parts}(set) or {}) do
      named[part.name] = (named[part.name] or 0) + 1
    end
  end
  for _, name in ipairs(queues) do
    for _, id in ipairs(redis.call('ZRANGE', @{namespace.key}('tasks', name), 0, -1)) do
      local said = redis.call('HMGET', @{namespace.key}('task', id), 'status', 'queue', 'limits', 'next_round')
      local status, where, set, queued = unpack(said, 1, 4)
      if status and where == name then
        add(not @{contract.is_final}(status) and set)
        add(queued and redis.call('HGET', @{queued_round.key}(id), '/limits'))
      end
    end
  end
  for _, name in ipairs(redis.call('ZRANGE', plans, 0, -1)) do
    add(@{schedules.values}(redis.call('HGET', @{namespace.key}('schedule', name), 'options') or '').limits)
  end
  return @{recount.compare}(key, named)
end

=== recount.counted
function @{recount.counted}()
  return 'left', unpack({ 'complete', 'failed', 'cancelled' })
end

=== recount.members
function @{recount.members}(graph, place)
  local v = redis.call('HMGET', @{namespace.declare}(@{graphs.key}(graph)), 'released', 'total', 'doing', @{recount.counted}())
  local open = tonumber(v[4] or 0) or 0
  for i = 5, #v do
    open = open - (tonumber(v[i] or 0) or 0.5)
  end
  local turn = math.floor(@{namespace.now_us} / 60000000) % 8
  local due = open ~= 0 or place % 8 == turn
  return v[1] and v[1] == v[2] and not v[3] and due and tonumber(v[2]) or 0
end

=== recount.wrong_graph
function @{recount.wrong_graph}(graph)
  local found = { left = 0 }
  for _, id in ipairs(redis.call('LRANGE', @{graphs.tasks}(graph), 0, -1)) do
    local v = redis.call('HMGET', @{namespace.key}('task', id), 'graph', 'status')
    if v[1] == graph then
      found.left = found.left + 1
      found[v[2]] = (found[v[2]] or 0) + 1
    end
  end
  local wrong, names = {}, { @{recount.counted}() }
  for i, noted in ipairs(redis.call('HMGET', @{graphs.key}(graph), unpack(names))) do
    local number = found[names[i]] or 0
    if tonumber(noted or 0) ~= number then
      wrong[#wrong + 1], wrong[#wrong + 2] = names[i], number
    end
  end
  return wrong, found.left
end

=== repair.parts
function @{repair.parts}()
  return { owned = @{repair_held.held}, started = @{repair_held.started}, orders = @{repair_held.orders},
    suspects = @{repair_held.suspects}, claims = @{repair_held.claims},
    tasks = @{repair_lists.tasks}, ranking = @{repair_lists.ranking},
    tags = @{repair_labels.labels}, groups = @{repair_labels.labels}, unique = @{repair_labels.unique},
    graphs = @{repair_graphs.graphs}, places = @{repair_limits.places} }
end

=== repair.place
function @{repair.place}(cursor)
  local part, position = string.match(cursor == '' and 'owned:0' or cursor, '^(%l+):(%d+)$')
  return part, position, part and #position <= 16 and string.match(' owned started waiting pending scheduled ranked held complete failed cancelled orders suspects tasks tags groups graphs ranking places unique claims ', ' ' .. part .. ' (%l*)')
end

=== repair.shared_cursor
function @{repair.shared_cursor}(queue)
  local stored = redis.call('HGET', @{namespace.key}('suspects', queue), 'pass') or ''
  local ended = tonumber(string.match(stored, '^done (%d+)$'))
  if not ended then
    return stored
  end
  local since = @{namespace.now_us} - ended
  return (since >= (60 * 1000000) or since < 0) and '' or nil
end

=== repair.share
function @{repair.share}(pass, after)
  @{fixes.write}(pass, 'HSET', @{namespace.key}('suspects', pass.queue), 'pass',
    after ~= '' and after or string.format('done %.0f', @{namespace.now_us}))
end

=== repair.step
function @{repair.step}(queue, cursor, limit, grace, shared)
  local part, position, following = @{repair.place}(cursor)
  if not following then
    @{reply.fail}('BADARG', 'the cursor must be empty or what the previous call returned')
  elseif shared and cursor ~= '' then
    @{reply.fail}('BADARG', 'the cursor must be empty with shared')
  end

  @{namespace.probe}('HLEN', @{namespace.key}('suspects', queue))
  @{namespace.probe}('ZCARD', @{namespace.key}('tasks', queue))
  if shared then
    local goes_on = @{namespace.is_queue}(queue) and @{repair.shared_cursor}(queue)
    if not goes_on then
      return { '', 0, 0 }
    end
    part, position, following = @{repair.place}(goes_on)
    if not following then
      part, position, following = @{repair.place}('')
    end
  end
  local pass = @{fixes.begin}(queue, limit, grace, shared)
  local after = (@{repair.parts}()[part] or @{repair_lists.list})(pass, position, part)
  if after ~= '0' then
    after = part .. ':' .. after
  else
    after = following ~= '' and following .. ':0' or ''
  end
  if shared then
    @{repair.share}(pass, after)
  end
  @{fixes.finish}(pass)
  return { after, pass.repaired, pass.suspected, unpack(pass.valid_claims) }
end

=== repair_graphs.upstreams
function @{repair_graphs.upstreams}(pass, task)
  if redis.call('EXISTS', @{edges.upstreams}(task.id)) == 0 and not redis.call('ZSCORE', @{edges.deferred}(), task.id)
    and redis.call('HEXISTS', @{edges.inputs}(task.id), 'slots') == 1 then
    @{fixes.fix}(pass, 'ZADD', @{edges.deferred}(), @{namespace.now}, task.id)
    @{fixes.write}(pass, 'HSET', task.key, 'cascade', 'join')
  end
  local found = @{edges.read}(task.id, 100)
  for i = 1, math.min(#found, 100) do
    local since = redis.call('ZSCORE', @{edges.dependents}(found[i].id), task.id)
    if since ~= 'inf' and since ~= '-inf' then
      @{repair_graphs.upstream}(pass, task, found[i].id, since)
    end
  end
end

=== repair_graphs.upstream
function @{repair_graphs.upstream}(pass, task, id, since)
  local key = @{namespace.key}('task', id)
  local v = redis.call('HMGET', key, 'status', 'graph', 'flags')
  local ended = not (v[1] or v[2]) or v[1] and @{contract.is_final}(v[1])
  if redis.call('ZSCORE', @{edges.deferred}(), id) then
    return
  elseif ended then
    @{fixes.fix}(pass, 'ZADD', @{edges.deferred}(), @{namespace.now}, id)
    if not since then
      @{fixes.write}(pass, 'ZADD', @{edges.dependents}(id), @{namespace.now}, task.id)
    end
  elseif v[1] then
    if not since then
      @{fixes.fix}(pass, 'ZADD', @{edges.dependents}(id), @{namespace.now}, task.id)
    end
    if not string.find(v[3] or '', 'd', 1, true) then
      @{fixes.fix}(pass, 'HSET', key, 'flags', (v[3] or '') .. 'd')
    end
  end
end

=== repair_graphs.set
function @{repair_graphs.set}(pass, task)
  local v = redis.call('HMGET', task.key, 'cascade', 'graph')
  if v[1] or redis.call('ZSCORE', @{edges.deferred}(), task.id)
    or v[2] and redis.call('HEXISTS', @{graphs.key}(v[2]), 'doing') == 1 then
    return
  end
  local set, what, ended = @{at_least.check}(task.id)
  if what == 'ready' then
    local slots, bytes = @{edges.input_size}(task.id)
    local plan = { id = task.id, task = @{record.find}(task.id, @{edges.fields}()), set = set }
    plan.task.later = true
    @{edge_end.plan_ready}(plan, slots or 0, bytes)
    @{state.plan_follow}(plan)
    pass.readied[#pass.readied + 1] = plan
  elseif what then
    pass.sets[#pass.sets + 1] = { id = task.id, set = set }
  end
  local up = ended and @{graphs.on_failure}(v[2]) ~= 'hold' and @{record.find}(ended)
  local fails = up and @{contract.is_final}(up.status) and redis.call('ZSCORE', @{edges.dependents}(ended), task.id) == 'inf'
  if fails then
    @{fixes.write}(pass, 'ZADD', @{edges.dependents}(ended), @{namespace.now}, task.id)
    @{fixes.write}(pass, 'ZADD', @{edges.deferred}(), @{namespace.now}, ended)
  end
  pass.repaired = pass.repaired + ((what or fails) and 1 or 0)
end

=== repair_graphs.graphs
function @{repair_graphs.graphs}(pass, position)
  if pass.shared and redis.call('ZREVRANGE', @{namespace.prefix} .. 'queues', 0, 0)[1] ~= pass.queue then
    return '0'
  end
  local ids, after = @{fixes.page}(pass, @{graphs.all}(), 'ZRANGE', position)
  local left, removed = 2000, 0
  for i, id in ipairs(ids) do
    local number = @{recount.members}(id, tonumber(position) + i - 1)
    if number > left and number <= 2000 then
      return @{fixes.go_on}(tonumber(position) + i - 1 - removed)
    end
    local wrong, there = {}, nil
    if number > 0 and number <= left then
      wrong, there = @{recount.wrong_graph}(id)
      left = left - number
    end
    if there == 0 then
      removed = removed + 1
      @{repair_graphs.remove_graph}(pass, id)
    elseif wrong[1] then
      @{fixes.fix}(pass, 'HSET', @{graphs.key}(id), unpack(wrong))
    end
  end
  return after(removed)
end

=== repair_graphs.remove_graph
function @{repair_graphs.remove_graph}(pass, id)
  for _, bound in ipairs(@{graphs.plan_unlimit}(id)) do
    @{fixes.write}(pass, 'HDEL', bound.limits, bound.key)
  end
  @{fixes.fix}(pass, 'ZREM', @{graphs.all}(), id)
  @{fixes.write}(pass, 'UNLINK', @{graphs.key}(id), @{namespace.declare}(@{graphs.tasks}(id)),
    @{namespace.declare}(@{graphs.chosen}(id)))
end

=== repair_held.attempt
function @{repair_held.attempt}(pass, task)
  if task.token == '' or task.extra[4] then
    return
  end
  local leases = @{namespace.key}('leases', pass.queue)
  if not redis.call('ZSCORE', leases, @{record.lease}(task)) then
    pass.leased = true
    @{fixes.fix}(pass, 'ZADD', leases, string.format('%.0f', @{namespace.now_us} + (task.extra[5] or 60000000)),
      @{record.lease}(task))
  end
  local set, entry = @{namespace.key}('started_tasks', pass.queue), task.node .. ' ' .. task.pid .. ' ' .. task.id
  if task.status == 'started' and redis.call('SISMEMBER', set, entry) == 0 then
    @{fixes.fix}(pass, 'SADD', set, entry)
  end
end

=== repair_held.confirmed
function @{repair_held.confirmed}(task, listener)
  return @{record.held}(task) and task.node == listener
end

=== repair_held.registered
function @{repair_held.registered}(pass, listener)
  return redis.call('SISMEMBER', @{namespace.key}('listeners', pass.queue), listener) == 1
end

=== repair_held.claim
function @{repair_held.claim}(pass, task, listener)
  local claimer = task.extra[4]
  local who = claimer or listener
  if not claimer and @{repair_held.registered}(pass, listener)
    or #who > 200 or not string.find(who, '^[%w.:-]+_%d+$') then
    return
  end
  local known, member = @{namespace.key}('claims', pass.queue), who .. ' ' .. task.id
  if not redis.call('ZSCORE', known, member)
    and (claimer or @{fixes.overdue}(pass, 'claim ' .. listener .. ' ' .. task.id, task.status)) then
    @{fixes.write}(pass, 'ZADD', known, 0, member)
  end
end

=== repair_held.stray
function @{repair_held.stray}(pass, list, listener, task)
  local own = @{namespace.key}('reserved_tasks', task.queue .. '_')
  if string.sub(list, 1, #own) ~= own and not @{repair_held.confirmed}(task, listener)
    and @{fixes.overdue}(pass, listener .. ' ' .. task.id, task.queue) then
    @{fixes.fix}(pass, 'LREM', list, 1, task.id)
  end
end

=== repair_held.entry
function @{repair_held.entry}(pass, list, listener, id)
  local task = @{fixes.find}(pass, id)
  if not task then
    @{fixes.fix}(pass, 'LREM', list, 1, id)
    return
  elseif task.queue ~= pass.queue then
    return @{repair_held.stray}(pass, list, listener, task)
  end
  @{fixes.index}(pass, task)
  if @{repair_held.confirmed}(task, listener) then
    @{repair_held.attempt}(pass, task)
    return @{repair_held.claim}(pass, task, listener)
  end
  local mark = task.status .. ' ' .. string.sub(task.extra[1] or '', 1, 32)
  if not @{fixes.overdue}(pass, listener .. ' ' .. id, mark) then
    return
  end
  if task.status == 'pending' and not pass.moved[id] then
    pass.repaired = pass.repaired + 1
    pass.moved[id] = true
    task.astray, task.from_end = list, -1
    pass.moves[#pass.moves + 1] = task
  else
    @{fixes.fix}(pass, 'LREM', list, 1, id)
  end
end

=== repair_held.held
function @{repair_held.held}(pass, cursor)
  local head = @{namespace.key}('reserved_tasks', pass.queue .. '_')
  local page = redis.call('SCAN', cursor, 'MATCH', head .. '*', 'COUNT', 4 * pass.limit)
  local most = math.min(500, math.ceil(2500 / math.max(1, #page[2])))
  for _, list in ipairs(page[2]) do
    local listener = string.sub(list, #head + 1)
    local seen = {}
    for _, id in ipairs(redis.call('LRANGE', @{namespace.declare}(list), -most, -1)) do
      if seen[id] then
        @{fixes.fix}(pass, 'LREM', list, 1, id)
      else
        seen[id] = true
        @{repair_held.entry}(pass, list, listener, id)
      end
    end
  end
  return page[1]
end

=== repair_held.started
function @{repair_held.started}(pass, cursor)
  local set = @{namespace.key}('started_tasks', pass.queue)
  local page = redis.call('SSCAN', set, cursor, 'COUNT', pass.limit)
  for _, entry in ipairs(page[2]) do
    local node, pid, id = string.match(entry, '^(%S+) (%S*) (%S+)$')
    local task = id and @{record.find}(id)
    if not task or task.status ~= 'started' or task.node ~= node or task.pid ~= pid then
      @{fixes.fix}(pass, 'SREM', set, entry)
    end
  end
  return page[1]
end

=== repair_held.orders
function @{repair_held.orders}(pass, cursor)
  local given = @{orders.key}(pass.queue)
  local page = redis.call('HSCAN', given, cursor, 'COUNT', pass.limit)
  for i = 1, #page[2], 2 do
    local kind, name = string.match(page[2][i], '^(%l):(.+)$')
    local valid
    if page[2][i] == 'q' then
      valid = redis.call('HEXISTS', @{namespace.meta}, 'paused:' .. pass.queue) == 1
    elseif kind == 't' then
      local task = @{record.find}(name)
      valid = task and @{record.held}(task) and (task.cancel or task.requeue or @{controls.has}(task))
    else
      valid = name and redis.call('SISMEMBER', @{namespace.key}('listeners', pass.queue), name) == 1
    end
    if not valid then
      @{fixes.fix}(pass, 'HDEL', given, page[2][i])
    end
  end
  return page[1]
end

=== repair_held.score
function @{repair_held.score}(pass)
  local queues = @{namespace.prefix} .. 'queues'
  local score = redis.call('ZSCORE', queues, pass.queue) or '0'
  local number = redis.call('SCARD', @{namespace.key}('listeners', pass.queue))
  if tonumber(score) ~= number and @{fixes.overdue}(pass, 'listeners', score .. ' ' .. number) then
    @{fixes.fix}(pass, 'ZADD', queues, number, pass.queue)
  end
  return tonumber(score) == number
end

=== repair_held.claims
function @{repair_held.claims}(pass, position)
  local key = @{namespace.key}('claims', pass.queue)
  local members, after = @{fixes.page}(pass, key, 'ZRANGE', position)
  local removed = 0
  for _, member in ipairs(members) do
    local who, id = string.match(member, '^(%S+) (%S+)$')
    local task = id and @{fixes.find}(pass, id)
    local valid = task and task.queue == pass.queue and @{record.held}(task)
    if valid and task.extra[4] then
      valid = task.extra[4] == who
    elseif valid then
      valid = task.node == who and not @{repair_held.registered}(pass, who)
    end
    if valid then
      @{reply.add}(pass.valid_claims, who, id, task.status, task.node, task.pid)
    else
      removed = removed + 1
      @{fixes.write}(pass, 'ZREM', key, member)
    end
  end
  return after(removed)
end

=== repair_held.suspects
function @{repair_held.suspects}(pass, cursor)
  local suspects = @{namespace.key}('suspects', pass.queue)
  local right = @{repair_held.score}(pass)
  local page = redis.call('HSCAN', suspects, cursor, 'COUNT', pass.limit)
  for i = 1, #page[2], 2 do
    local field = page[2][i]
    local listener, id = string.match(field, '^(%S+) (%S+)$')
    local holder, orphan = string.match(field, '^claim (%S+) (%S+)$')
    local settled = right and field ~= 'pass'
    if orphan then
      local task = @{record.find}(orphan, 'reclaimed_node')
      settled = not task or task.extra[1] or not @{repair_held.confirmed}(task, holder)
        or @{repair_held.registered}(pass, holder)
    elseif listener == 'due' then
      local task = @{record.find}(id)
      settled = not task or task.status ~= 'scheduled'
        or redis.call('ZSCORE', @{namespace.key}('scheduled_tasks', pass.queue), id)
        or redis.call('ZSCORE', @{namespace.key}('scheduled_ranked_tasks', pass.queue), id)
    elseif id then
      local task = @{record.find}(id)
      settled = not task or @{repair_held.confirmed}(task, listener)
        or not redis.call('LPOS', @{namespace.key}('reserved_tasks', pass.queue .. '_' .. listener), id)
    end
    if settled then
      @{fixes.write}(pass, 'HDEL', suspects, field)
    end
  end
  return page[1]
end

=== repair_labels.labelled
function @{repair_labels.labelled}(pass, task, kind, name)
  if not task or task.queue ~= pass.queue then
    return false
  elseif kind == 'groups' then
    return task.status == 'failed' and (task.extra[2] or '') == name
  end
  return string.find(',' .. (task.extra[3] or '') .. ',', ',' .. name .. ',', 1, true) ~= nil
end

=== repair_labels.labels
function @{repair_labels.labels}(pass, position, kind)
  local counts = @{namespace.key}(kind, pass.queue)
  local at, from, limit = math.floor(position / 1000000000), position % 1000000000, pass.limit
  local gone = 0
  while limit > 0 do
    local name, count = unpack(redis.call('ZRANGE', counts, at, at, 'WITHSCORES'))
    if not name then
      return '0'
    end
    local key = (kind == 'tags' and @{tags.key} or @{groups.key})(pass.queue, name)
    local ids, removed = redis.call('ZRANGE', key, from, from + limit - 1), 0
    for _, id in ipairs(ids) do
      if not @{repair_labels.labelled}(pass, @{fixes.find}(pass, id), kind, name) then
        @{fixes.fix}(pass, 'ZREM', key, id)
        removed = removed + 1
      end
    end
    if #ids == limit then
      from = from + limit - removed
    else
      local left = redis.call('ZCARD', key) - removed
      if left == 0 then
        @{fixes.fix}(pass, 'ZREM', counts, name)
        gone = gone + 1
      elseif left ~= tonumber(count) then
        @{fixes.fix}(pass, 'ZADD', counts, left, name)
      end
      at, from = at + 1, 0
    end
    limit = limit - #ids - 1
  end
  return @{fixes.go_on}((at - gone) * 1000000000 + from)
end

=== repair_labels.unique
function @{repair_labels.unique}(pass, cursor)
  local names = @{namespace.key}('unique', pass.queue)
  local page = redis.call('HSCAN', names, cursor, 'COUNT', pass.limit)
  for i = 1, #page[2], 2 do
    local id, till = string.match(page[2][i + 1], '^(%S+) (%l+)$')
    if id and not @{holdings.still_holds_name}(pass.queue, id, page[2][i], till) then
      @{fixes.fix}(pass, 'HDEL', names, page[2][i])
    end
  end
  return page[1]
end

=== repair_limits.places
function @{repair_limits.places}(pass, cursor)
  local queue, held = pass.queue, @{namespace.key}('places', pass.queue)
  @{namespace.probe}('HLEN', held)
  local page = redis.call('HSCAN', held, cursor, 'COUNT', pass.limit)
  for i = 1, #page[2], 2 do
    local id, token = string.match(page[2][i], '^a:(%S+) (%d+)$')
    local task = id and @{record.find}(id)
    if id and not (task and task.queue == queue and @{record.held}(task) and task.token == token)
      and not redis.call('ZSCORE', @{namespace.key}('leases', queue), id .. ' ' .. token) then
      pass.freed[#pass.freed + 1] = { id = id, token = token }
      pass.repaired = pass.repaired + 1
    end
  end
  if pass.freed[1] then
    @{held_places.plan_released}(queue, pass.freed)
    @{wakeups.plan}(queue)
  end
  local wrong = page[1] == '0' and @{recount.wrong}(queue, pass.shared) or {}
  for nth = 1, #wrong, 2 do
    local name, number = wrong[nth], wrong[nth + 1]
    if number > 0 then
      @{fixes.fix}(pass, 'HSET', @{shared_limits.key}('places'), name, number)
    else
      @{fixes.fix}(pass, 'HDEL', @{shared_limits.key}('places'), name)
    end
    @{shared_turns.plan_wakes}(name, '', 4)
    pass.recounted[#pass.recounted + 1] = name
  end
  if page[1] == '0' then
    @{repair_limits.plan_shared}(pass)
  end
  return page[1]
end

=== repair_limits.plan_shared
function @{repair_limits.plan_shared}(pass)
  pass.named = @{recount.wrong_tasks}(pass.queue, pass.shared)
  local corrected = {}
  for nth = 1, #pass.named, 2 do
    corrected[pass.named[nth]] = true
  end
  if next(corrected) then
    @{shared_count.plan}()
  end
  pass.expired = @{shared_define.plan_expired}(corrected)
  pass.repaired = pass.repaired + #pass.named / 2 + #pass.expired
end

=== repair_lists.group
function @{repair_lists.group}(pass, task)
  local group = task.extra[2] or ''
  local key = @{groups.key}(pass.queue, group)
  if not redis.call('ZSCORE', key, task.id) then
    local counts = @{namespace.key}('groups', pass.queue)
    @{namespace.probe}('ZCARD', counts)
    @{fixes.fix}(pass, 'ZADD', key, tonumber(task.extra[1]) or 0, task.id)
    @{fixes.write}(pass, 'ZADD', counts, 'NX', 1, group)
  end
end

=== repair_lists.strayed
function @{repair_lists.strayed}(pass, task, key, status)
  if not task.flags or not string.find(task.flags, 'r') then
    return false
  elseif status == 'scheduled' then
    @{fixes.fix}(pass, 'ZADD', @{namespace.key}('scheduled_ranked_tasks', pass.queue),
      redis.call('ZSCORE', key, task.id), task.id)
    @{fixes.write}(pass, 'ZREM', key, task.id)
    return true
  elseif status ~= 'pending' then
    return false
  end
  @{holdings.load}(task)
  @{fixes.fix}(pass, 'LREM', key, 1, task.id)
  if not task.rank then
    @{ranking.plan}(task)
    pass.entering[#pass.entering + 1] = task
  end
  return true
end

=== repair_lists.ended
function @{repair_lists.ended}(pass, task)
  if task.cancel then
    @{fixes.fix}(pass, 'HDEL', task.key, 'cancel')
  end
  if @{deadlines.has}(task) then
    @{fixes.no_deadline}(pass, task.id)
  end
  if @{queued_round.has}(task) and not redis.call('ZSCORE', @{edges.deferred}(), task.id) then
    @{fixes.fix}(pass, 'ZADD', @{edges.deferred}(), @{namespace.now}, task.id)
  end
  if task.status == 'failed' then
    @{repair_lists.group}(pass, task)
  end
end

=== repair_lists.list
function @{repair_lists.list}(pass, position, part)
  local ranked = part == 'ranked'
  local status = ranked and 'scheduled' or part
  local zset = status == 'scheduled' or status == 'waiting'
  local key = @{namespace.key}(ranked and 'scheduled_ranked_tasks' or status .. '_tasks', pass.queue)
  local ids, after = @{fixes.page}(pass, key, zset and 'ZRANGE' or 'LRANGE', position)
  local removed, seen = 0, {}
  for _, id in ipairs(ids) do
    local task = @{fixes.find}(pass, id)
    if task and not seen[id] and task.status == status and task.queue == pass.queue then
      seen[id] = true
      @{fixes.index}(pass, task)
      if not ranked and @{repair_lists.strayed}(pass, task, key, status) then
        removed = removed + 1
      end
      if @{contract.is_final}(status) then
        @{repair_lists.ended}(pass, task)
      elseif status == 'waiting' then
        @{repair_graphs.upstreams}(pass, task)
        if @{at_least.has}(task) then
          @{repair_graphs.set}(pass, task)
        end
      end
    else
      removed = removed + 1
      if not task then
        @{fixes.gone}(pass, id)
      end
      if zset then
        @{fixes.fix}(pass, 'ZREM', key, id)
      else
        @{fixes.fix}(pass, 'LREM', key, 1, id)
      end
    end
  end
  return after(removed)
end

=== repair_lists.deadline
function @{repair_lists.deadline}(pass, task)
  if not @{deadlines.has}(task) or @{contract.is_final}(task.status) or task.cancel then
    return
  end
  local end_by = redis.call('HGET', task.key, 'deadline')
  if end_by and tonumber(redis.call('ZSCORE', @{holdings.deadlines}(), task.id) or -1) ~= tonumber(end_by) then
    @{fixes.fix}(pass, 'ZADD', @{holdings.deadlines}(), end_by, task.id)
  end
end

=== repair_lists.due
function @{repair_lists.due}(pass, task)
  local ranked = task.flags and string.find(task.flags, 'r', 1, true)
  local set = @{namespace.key}(ranked and 'scheduled_ranked_tasks' or 'scheduled_tasks', pass.queue)
  if not redis.call('ZSCORE', set, task.id) and @{fixes.overdue}(pass, 'due ' .. task.id, task.extra[1] or '') then
    @{fixes.fix}(pass, 'ZADD', set, task.extra[6] or @{namespace.now}, task.id)
  end
end

=== repair_lists.tasks
function @{repair_lists.tasks}(pass, position)
  local key = @{namespace.key}('tasks', pass.queue)
  local ids, after = @{fixes.page}(pass, key, 'ZRANGE', position)
  local removed = 0
  for _, id in ipairs(ids) do
    local task = @{fixes.find}(pass, id)
    if task and task.queue == pass.queue then
      @{repair_lists.deadline}(pass, task)
    end
    if not task then
      removed = removed + 1
      @{fixes.fix}(pass, 'ZREM', key, id)
      @{fixes.gone}(pass, id)
    elseif task.queue ~= pass.queue then
      removed = removed + 1
      @{fixes.fix}(pass, 'ZREM', key, id)
    elseif task.node ~= '' and @{record.held}(task) then
      local list = @{namespace.key}('reserved_tasks', task.queue .. '_' .. task.node)
      if not redis.call('LPOS', list, id) then
        @{fixes.fix}(pass, 'LPUSH', list, id)
      end
    elseif task.status == 'scheduled' then
      @{repair_lists.due}(pass, task)
    elseif task.status == 'waiting' and not redis.call('ZSCORE', @{namespace.key}('waiting_tasks', task.queue), id) then
      @{fixes.fix}(pass, 'ZADD', @{namespace.key}('waiting_tasks', task.queue), @{namespace.now}, id)
    end
  end
  return after(removed)
end

=== repair_lists.ranking
function @{repair_lists.ranking}(pass, position)
  local members, after = @{fixes.page}(pass, @{namespace.key}('pending_ranked_tasks', pass.queue), 'ZRANGE', position)
  for _, member in ipairs(members) do
    local rank, id = string.match(member, '^(%S+) (%S+)$')
    local task = @{fixes.find}(pass, id or '')
    local own = task and task.queue == pass.queue
    if own then
      @{fixes.index}(pass, task)
    end
    if not own or @{contract.is_final}(task.status) then
      @{repair_lists.plan_discard}(pass, own and task or { id = id }, rank, member)
    end
  end
  return after(#pass.discarded)
end

=== repair_lists.plan_discard
function @{repair_lists.plan_discard}(pass, task, rank, member)
  if task.status then
    @{holdings.load}(task)
  end
  task.rank = rank
  local ghost = { key = task.fair_key, number = @{needs.number}(pass.queue, @{needs.class}(task)) or '',
    member = task.fair_key and @{ranking.member}(task) or member }
  @{ranking.plan_discard}(pass.queue, ghost)
  pass.discarded[#pass.discarded + 1] = ghost
  pass.repaired = pass.repaired + 1
end

=== reply.fail
function @{reply.fail}(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and @{reply.is_half_moved}() then
    code, text = @{reply.elsewhere}()
  end
  error({ err = code .. ' ' .. text })
end

=== reply.add
function @{reply.add}(list, ...)
  for _, value in ipairs({ ... }) do
    list[#list + 1] = value
  end
end

=== reply.is_half_moved
function @{reply.is_half_moved}()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end

=== reply.elsewhere
function @{reply.elsewhere}()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end

=== reply.refusal
function @{reply.refusal}(raised)
  if type(raised) == 'table' and raised.answer ~= nil then
    return raised.answer
  end
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = @{reply.elsewhere}()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end

=== reply.code
function @{reply.code}(raised)
  return string.match(@{reply.refusal}(raised).err, '^%-?(%u+)')
end

=== requests.key
function @{requests.key}()
  return @{namespace.prefix} .. 'requests'
end

=== requests.replay
function @{requests.replay}(command, request)
  if not request then
    return
  end
  local own = @{namespace.shared}('request')
  own.field = command .. ' ' .. request
  local found = redis.call('HMGET', @{namespace.declare}(@{requests.key}()), own.field, 'first', 'last')
  own.first, own.last = tonumber(found[2]) or 1, tonumber(found[3]) or 0
  if found[1] then
    error({ answer = @{requests.read}(found[1]) })
  elseif not found[3] then
    @{namespace.check_slot}(@{requests.key}())
  end
end

=== requests.keep
function @{requests.keep}(answer)
  local own = @{namespace.shared}('request')
  if not own.begun then
    return answer
  end
  local key, first, last = @{requests.key}(), own.first, own.last + 1
  local known = last > 1 and first
  @{namespace.write_when_full}(key)
  redis.call('HSET', key, own.field, @{requests.text}(answer), 'last', string.format('%.0f', last),
    string.format('#%.0f', last), @{namespace.now} .. ' ' .. own.field)
  for _ = 1, 10 do
    local number = string.format('#%.0f', first)
    local at, field = string.match(redis.call('HGET', key, number) or '', '^(%S+) (.*)$')
    if first == last or at and first > last - 10000
      and tonumber(at) * 1000000 > @{namespace.now_us} - 3600000000 then
      break
    end
    redis.call('HDEL', key, number, field or '')
    first = first + 1
  end
  if first ~= known then
    redis.call('HSET', key, 'first', string.format('%.0f', first))
  end
  redis.call('EXPIRE', key, 86400)
  return answer
end

=== requests.text
function @{requests.text}(answer)
  if not answer then
    return ''
  elseif type(answer) == 'string' then
    return '"' .. answer
  end
  local parts, times = {}, 1
  for i, part in ipairs(answer) do
    if part == answer[i + 1] then
      times = times + 1
    else
      parts[#parts + 1] = (type(part) == 'number' and '#' or '') .. part .. (times > 1 and '*' .. times or '')
      times = 1
    end
  end
  return table.concat(parts, ' ')
end

=== requests.read
function @{requests.read}(text)
  if text == '' then
    return false
  elseif string.sub(text, 1, 1) == '"' then
    return string.sub(text, 2)
  end
  local answer = {}
  for part, times in string.gmatch(text, '([^ *]+)%*?(%d*)') do
    local number = string.match(part, '^#(%d+)$')
    for _ = 1, tonumber(times) or 1 do
      answer[#answer + 1] = tonumber(number) or part
    end
  end
  return answer
end

=== requeuing.plan
function @{requeuing.plan}(task, spec)
  if task.status == 'pending' and task.extra[1] == 'released' then
    return
  elseif not @{record.held}(task) then
    return @{actions.refuse}(task, 'reserved or started')
  elseif spec.at_once then
    @{actions.plan}(task, task.cancel and 'cancelled' or @{holdings.state_after_release}(task, 'pending', 'drain'), spec)
  elseif task.token == '' then
    return 'STATE', 'a client without scripts holds the task and gets no orders: take it back with at_once, or wait'
  elseif not task.cancel and not task.requeue then
    task.to = 'requeuing'
    @{orders.plan}(task.queue)
    @{tracking.plan_note}(task)
  end
end

=== requeuing.requeue
function @{requeuing.requeue}(task, spec)
  if task.to == 'requeuing' then
    @{orders.give}(task.queue, 't:' .. task.id, 'stop')
    redis.call('HSET', task.key, 'requeue', @{namespace.now})
    @{tracking.note}(task, 'requeue', spec.by)
    return
  end
  local more = { @{holdings.cancel_reason}(task) }
  if task.to == 'pending' then
    task.front, task.forget, more = true, { @{record.attempt_fields}() }, { 'front', '1' }
    spec.wakes = task.queue
  end
  @{state.move}(task, task.to, 'requeue', '', 'ended', task.token,
    'outcome', task.to == 'pending' and 'released' or 'cancelled', unpack(more))
  @{orders.announce}(task.queue)
end

=== rerun.forgotten
function @{rerun.forgotten}()
  return 'result', 'error', 'group', 'last_error', 'last_group', 'reason', 'cause', 'discard', 'cascade', 'eta',
    'flags', 'front', 'retry_eta', 'promoted', 'readied', 'inputs', 'slots', 'schedule', 'slot', 'step', 'postponed',
    'waited', 'failures', 'losses', 'releases', 'uncounted', 'stalled_losses', 'checkpoint', 'checkpointed', 'ended',
    'cost', 'cost_of', 'span', 'token', 'lease', 'request', 'exclusive', 'next_round', 'checked', 'held_by'
end

=== rerun.check
function @{rerun.check}(count, spec, request)
  if count > 1 then
    @{reply.fail}('BADARG', 'again is for one task: count must be 1')
  elseif not request then
    @{reply.fail}('BADARG', 'again needs the option request: the same request answers the round that it made')
  elseif spec.inputs or spec.policy and spec.policy ~= 'reject' then
    @{reply.fail}('BADARG', 'again goes without inputs, and with no unique_policy but reject')
  end
end

=== rerun.submit
function @{rerun.submit}(id, call, spec)
  local task = @{actions.find}(id)
  if not task then
    @{reply.fail}('STATE', 'its graph has just been submitted and is being released: repeat the call in a moment')
  end
  local round, request, queued = unpack(redis.call('HMGET', task.key, 'round', 'round_request', 'next_round'), 1, 3)
  round = tonumber(round or 1)
  if request == call.request then
    return { 'again', round }
  elseif queued == call.request then
    return { 'later', round + 1 }
  elseif @{record.held}(task) and not call.options then
    @{reply.fail}('STATE', 'the task is ' .. task.status .. ': wait for its end, edit what its next attempt has, or let it'
      .. ' begin once more after this round')
  elseif queued and (@{record.held}(task) or @{contract.is_final}(task.status)) then
    @{reply.fail}('STATE', 'the task is to begin once more after this round already: wait until it has, or cancel it')
  elseif @{record.held}(task) then
    return @{rerun.keep}(task, call, spec, round)
  end
  @{edits.read}(task)
  local step = { queue = call.queue, by = '', reason = 'submitted again' }
  local code, text
  if @{contract.is_waiting}(task.status) then
    @{edits.compare}(task, spec, call)
    if not task.edit then
      return { 'existing', round }
    end
    code, text = @{edits.plan}(task, step)
  else
    code, text = @{rerun.plan}(task, call, spec, step)
  end
  if code then
    @{reply.fail}(code, text)
  end
  @{audit.plan}()
  if task.edit then
    @{actions.run}(@{edits.run}, { task }, step)
    @{audit.add}(call.by, 'submit', 'task', id, task.status, task.edit.to, 'changed, ' .. @{rerun.told}(round, call))
    return { 'changed', round }
  end
  task.new.round = { 'round', string.format('%d', round + 1), 'round_request', call.request }
  @{actions.run}(@{rerun.run}, { task }, step)
  @{audit.add}(call.by, 'submit', 'task', id, task.status, task.new.begins, 'again, ' .. @{rerun.told}(round + 1, call))
  return { 'again', round + 1 }
end

=== rerun.told
function @{rerun.told}(number, call)
  return string.format('round %d, request %s, queue %s, parameters %s', number, call.request, call.queue,
    @{audit.payload}(call.parameters))
end

=== rerun.refusal
function @{rerun.refusal}(task)
  if string.find(task.flags or '', 'g', 1, true) then
    return 'STATE', 'the task is a part of a graph: retry it, or submit one of another id'
  end
end

=== rerun.plan
function @{rerun.plan}(task, call, spec, step)
  local flags = task.flags or ''
  local code, text = @{rerun.refusal}(task)
  if code then
    return code, text
  elseif string.find(flags, 'd', 1, true) and @{edges.waiting}(task.id) > 0 then
    return 'STATE', 'others wait for this task: retry it, or submit one of another id'
  elseif string.find(flags, 'w', 1, true) and redis.call('HLEN', @{namespace.declare}(@{edges.upstreams}(task.id))) > 0 then
    return 'STATE', 'the task still needs what it waited for: retry it, or submit one of another id'
  end
  local new = @{rerun.fresh}(task, call, spec)
  code, text = @{moving.destination}(step)
  if code then
    return code, text
  elseif new.end_by and @{deadlines.is_past}(new.end_by) then
    return @{deadlines.refusal}()
  elseif not @{actions.unique}(new, step) then
    return 'DUPLICATE', 'another task has this unique name; get its id with the policy existing, or wait until it ends, starts, or its time passes'
  elseif new.needs then
    @{creation.require_few_needs}(new.queue, new.needs)
  end
  task.new = new
  if new.queue ~= task.queue then
    @{actions.plan}(task, 'moved', step)
  else
    @{actions.seek}(task, step)
    new.status, new.from_end, new.restarts = task.status, task.from_end, true
    @{tags.plan_swap}(new, task.had.tags, new.tags)
  end
  @{namespace.require_settled_slot}()
  @{state.plan}(new, new.begins)
end

=== rerun.fresh
function @{rerun.fresh}(task, call, spec)
  local new = { id = task.id, key = task.key, queue = call.queue, attempt = task.attempt, since = task.since,
    created = task.extra[2] or '0', foreign = true, parameters = call.parameters, fields = spec.fields,
    begins = 'pending' }
  if call.eta and call.eta > @{namespace.now_us} then
    new.begins, new.eta = 'scheduled', @{namespace.decimal}(call.eta)
  end
  local flags = (spec.flags or '') .. string.gsub(task.flags or '', '[^don]', '')
  if flags ~= '' then
    new.flags = flags
    @{holdings.assign}(new, spec.holds or {})
  end
  return new
end

=== rerun.run
function @{rerun.run}(task, step)
  local new = task.new
  local set, kept = { 'parameters', new.parameters, 'outcome', 'retry', unpack(new.round) }, {}
  for i = 1, #new.fields, 2 do
    if new.fields[i] ~= 'flags' then
      set[#set + 1], set[#set + 2] = new.fields[i], new.fields[i + 1]
    end
  end
  for name, value in pairs({ flags = new.flags, eta = new.eta }) do
    set[#set + 1], set[#set + 2] = name, value
  end
  for i = 1, #set, 2 do
    kept[set[i]] = true
  end
  new.forget = { @{record.attempt_fields}() }
  local gone = { @{rerun.forgotten}() }
  for field in string.gmatch(' title=title submitter=submitter method=method command=command priority=priority max_failures=max_failures backoff=backoff delay=delay max_delay=max_delay jitter=jitter max_losses=max_losses lost_delay=lost_delay max_releases=max_releases lease=own_lease key=key weight=weight needs=needs limits=limits unique=unique unique_until=unique_until tags=tags deadline=deadline max_run=max_run warn=warn no_progress=no_progress grace=grace nice=nice notify=notify log_bytes=log_bytes trace=trace steps=steps ', '=(%S+)') do
    gone[#gone + 1] = field
  end
  for _, field in ipairs(gone) do
    new.forget[#new.forget + 1] = not kept[field] and field or nil
  end
  new.note = { 'note', '', 'data', '{"round":' .. new.round[2] .. '}' }
  if new.restarts then
    @{tags.swap}(new)
  else
    task.note = new.note
    @{state.move}(task, 'moved', 'again', '')
  end
  @{state.move}(new, new.begins, 'again', '', 'queue', new.queue, 'attempt', new.attempt, unpack(set))
  if step.known == 'new' then
    redis.call('ZADD', @{namespace.prefix} .. 'queues', 0, new.queue)
  end
  step.wakes = new.begins == 'pending' and new.queue or nil
end

=== rerun.keep
function @{rerun.keep}(task, call, spec, number)
  local code, text = @{rerun.refusal}(task)
  if not code then
    code, text = @{moving.destination}({ queue = call.queue })
  end
  local end_by = spec.holds and spec.holds.end_by
  if not code and end_by and @{deadlines.is_past}(end_by) then
    code, text = @{deadlines.refusal}()
  end
  if code then
    @{reply.fail}(code, text)
  end
  local key, shared = @{queued_round.key}(task.id), spec.holds and spec.holds.shared
  @{namespace.probe}('HLEN', key)
  if shared then
    @{shared_count.plan}()
  end
  @{audit.plan}()
  @{namespace.begin}()
  redis.call('HSET', key, 'queue', call.queue, 'parameters', call.parameters,
    'eta', call.eta and string.format('%.0f', call.eta) or '', 'by', call.by or '', unpack(call.options))
  redis.call('HSET', task.key, 'next_round', call.request, 'flags', (task.flags or '') .. 'a')
  if shared then
    @{shared_count.count}(shared, 1)
  end
  @{audit.add}(call.by, 'submit', 'task', task.id, task.status, task.status,
    'once more, ' .. @{rerun.told}(number + 1, call))
  return { 'later', number + 1 }
end

=== rerun_large.is_long
function @{rerun_large.is_long}(task)
  return redis.call('HSTRLEN', task.key, 'inputs') > 16384
    or redis.call('HEXISTS', task.key, 'slots') == 1
      and redis.call('HSTRLEN', task.key, 'parameters') > 1048576
end

=== rerun_large.plan
function @{rerun_large.plan}(task, chosen, part)
  local piece = { forget = {}, open = {}, texts = {} }
  task.piece, task.act = piece, @{rerun_large.run}
  @{namespace.probe}('HLEN', @{edges.upstreams}(task.id))
  local whole = redis.call('HMGET', task.key, 'slots', 'parameters', 'inputs')
  if whole[1] and redis.call('HEXISTS', @{namespace.declare}(@{edges.inputs}(task.id)), 'slots') == 0 then
    @{rerun_large.split}(piece, whole[1], whole[2] or '', string.match(part or '', '^slots/(%d+)/(%d+)/(%d+)$'))
  else
    @{rerun_large.look}(task, piece, chosen, whole[3] or '', tonumber(string.match(part or '', '^inputs/(%d+)$') or 1))
  end
end

=== rerun_large.split
function @{rerun_large.split}(piece, lengths, joined, slot, at, from)
  slot, at, from = tonumber(slot or 0), tonumber(at or 1), tonumber(from or 2)
  local last, bytes = slot + 1000, 0
  while slot < last and bytes < 1048576 and at <= #lengths do
    local length = string.match(lengths, '^%d+', at)
    piece.texts[#piece.texts + 1] = slot
    piece.texts[#piece.texts + 1] = string.sub(joined, from, from + length - 1)
    slot, at, from, bytes = slot + 1, at + #length + 1, from + length + 1, bytes + length
  end
  piece.part = string.format('slots/%d/%d/%d', slot, at, from)
  if at > #lengths then
    piece.slots, piece.bytes, piece.part = slot, #joined - 1 - slot, 'inputs/1'
  end
end

=== rerun_large.look
function @{rerun_large.look}(task, piece, chosen, inputs, from)
  local page, rest = @{edge_inputs.page}(inputs, from, 1000)
  local ids, slots = {}, {}
  for i, entry in ipairs(page) do
    ids[i] = entry.id
  end
  local marks = @{edge_rerun.marks}(chosen, ids)
  local known = ids[1] and redis.call('HMGET', @{edges.upstreams}(task.id), unpack(ids)) or {}
  local texts = {}
  for i, entry in ipairs(page) do
    if marks[entry.id] then
      local text = texts[entry.id] or known[i] or entry.kind
      if entry.slot ~= '' then
        slots[#slots + 1] = entry.slot
        if not string.find(string.gsub(text, '/', ',') .. ',', ',' .. entry.slot .. ',', 1, true) then
          text = text .. (string.find(text, '/', 1, true) and ',' or '/') .. entry.slot
        end
      end
      texts[entry.id] = text
    end
  end
  for id, text in pairs(texts) do
    piece.open[#piece.open + 1], piece.open[#piece.open + 2] = id, text
  end
  local own = @{namespace.declare}(@{edges.inputs}(task.id))
  piece.less, piece.frees = 0, 0
  for i, text in ipairs(slots[1] and redis.call('HMGET', own, unpack(slots)) or {}) do
    if text then
      piece.forget[#piece.forget + 1], piece.less = slots[i], piece.less + #text
      piece.frees = piece.frees + @{graphs.counted}(#text)
    end
  end
  piece.part = rest and 'inputs/' .. rest or 'ready'
end

=== rerun_large.run
function @{rerun_large.run}(task, spec)
  local piece, own = task.piece, @{edges.inputs}(task.id)
  if piece.texts[1] then
    redis.call('HSET', own, unpack(piece.texts))
  end
  if piece.slots then
    redis.call('HSET', own, 'slots', piece.slots, 'bytes', piece.bytes)
    redis.call('HSET', task.key, 'parameters', '')
    redis.call('HDEL', task.key, 'slots')
  end
  if piece.open[1] then
    redis.call('HSET', @{edges.upstreams}(task.id), unpack(piece.open))
  end
  if piece.forget[1] then
    redis.call('HDEL', own, unpack(piece.forget))
    redis.call('HINCRBY', own, 'bytes', -piece.less)
    redis.call('HINCRBY', @{graphs.key}(spec.graph), 'bytes', 0 - piece.frees)
  end
end

=== reservations.cursor
function @{reservations.cursor}(value)
  if #value > 1024 or not string.find(value, '^lists/%d+/%d+/') then
    return @{args.cursor}(value)
  end
  local at, offset = string.match(value, '^lists/(%d+)/(%d+)/')
  @{args.cursor}(at)
  @{args.cursor}(offset)
  return value
end

=== reservations.list
function @{reservations.list}(queue, at, limit, ids)
  local offset, looks = at.offset, at.looks
  local list = redis.call('LRANGE', @{namespace.key}('reserved_tasks', queue .. '_' .. at.listener),
    offset, offset + looks)
  for i, id in ipairs(list) do
    if i > looks or #ids >= limit then
      return i - 1, true
    end
    local v = redis.call('HMGET', @{namespace.prefix} .. 'task_' .. id, 'status', 'token')
    if v[1] == 'reserved'
      and not (v[2] and redis.call('ZSCORE', @{namespace.key}('leases', queue), id .. ' ' .. v[2])) then
      ids[#ids + 1] = id
    end
  end
  return #list, false
end

=== reservations.lists
function @{reservations.lists}(queue, cursor, limit, ids)
  local at, offset, first = string.match(cursor, '^lists/(%d+)/(%d+)/(.*)$')
  local looks = 500
  repeat
    local page = redis.call('SSCAN', @{namespace.key}('listeners', queue), at, 'COUNT', 100)
    local start = 1
    for i, listener in ipairs(page[2]) do
      start = listener == first and i or start
    end
    offset = page[2][start] == first and tonumber(offset) or 0
    for i = start, #page[2] do
      local looked, more = @{reservations.list}(queue, { listener = page[2][i], offset = offset, looks = looks },
        limit, ids)
      looks = looks - looked - 1
      if more or looks <= 0 and (i < #page[2] or page[1] ~= '0') then
        local next = more and page[2][i] or page[2][i + 1]
        return next and string.format('lists/%s/%.0f/%s', at, more and offset + looked or 0, next)
          or 'lists/' .. page[1] .. '/0/'
      end
      offset = 0
    end
    at, offset, first = page[1], '0', ''
  until at == '0'
  return '0'
end

=== reservations.page
function @{reservations.page}(queue, cursor, limit, ids)
  if string.sub(cursor, 1, 6) == 'lists/' then
    return @{reservations.lists}(queue, cursor, limit, ids)
  end
  local page = redis.call('ZSCAN', @{namespace.key}('leases', queue), cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local id = string.match(page[2][i], '^%S+')
    if redis.call('HGET', @{namespace.prefix} .. 'task_' .. id, 'status') == 'reserved' then
      ids[#ids + 1] = id
    end
  end
  if page[1] ~= '0' then
    return page[1]
  end
  return #ids < limit and @{reservations.lists}(queue, 'lists/0/0/', limit, ids) or 'lists/0/0/'
end

=== reserving.fields
function @{reserving.fields}(queues)
  local fields = {}
  for _, queue in ipairs(queues) do
    @{args.plain}(queue, 'queue')
    fields[#fields + 1] = 'paused:' .. queue
    fields[#fields + 1] = 'ranking:' .. queue
    fields[#fields + 1] = 'settings:' .. queue
    fields[#fields + 1] = 'drained:' .. queue
  end
  fields[#fields + 1] = 'limits'
  fields[#fields + 1] = 'settings'
  fields[#fields + 1] = 'token'
  return unpack(fields)
end

=== reserving.answer_again
function @{reserving.answer_again}(call)
  local answers, found, seen = {}, {}, {}
  local most = call.ended and 1000 or call.limit or 1
  for _, queue in ipairs(call.queues) do
    local held = @{namespace.declare}(@{namespace.key}('reserved_tasks', queue .. '_' .. call.listener))
    for _, id in ipairs(redis.call('LRANGE', held, 0, most - 1)) do
      if not seen[id] then
        answers[#answers + 1] = @{attempt.repeated}(id, call.listener, call.request)
      end
      seen[id] = true
    end
  end
  table.sort(answers, function(one, other) return tonumber(one[3]) < tonumber(other[3]) end)
  for _, answer in ipairs(answers) do
    for i = 1, 11 do
      found[#found + 1] = answer[i]
    end
  end
  return answers[1] and found
end

=== reserving.take_more
function @{reserving.take_more}(call, task, fields)
  @{reserving.count}(call, task, fields)
  local prepare, commit = @{reserving.prepare}, @{giving.commit}
  while task and call.number < call.limit and call.bytes <= 8388608 do
    local ok
    call.written, call.run, call.ghosts, call.asked, call.updates = task, nil, nil, nil, nil
    ok, task, fields = pcall(prepare, call)
    task = ok and task
    if task then
      commit(call, task, fields)
      @{reserving.count}(call, task, fields)
    end
  end
end

=== reserving.count
function @{reserving.count}(call, task, fields)
  for _, taken in ipairs(call.run or { task }) do
    call.number = (call.number or 0) + 1
    call.bytes = (call.bytes or 0) + @{picking.bytes}(taken.fields or fields)
  end
end

=== reserving.more
function @{reserving.more}(call)
  local ok, raised = pcall(@{reserving.start}, call)
  if not ok and not call.ended then
    error(raised, 0)
  elseif not ok then
    call.refusal = @{reply.code}(raised)
  end
end

=== reserving.start
function @{reserving.start}(call)
  if call.request and call.stale then
    call.found = @{reserving.answer_again}(call)
  elseif call.request and not call.ended then
    do
      local call = call
      local queues, listener, request = call.queues, call.listener, call.request
      for i = 1, #queues do
        local held = @{namespace.declare}(@{namespace.prefix} .. 'reserved_tasks_' .. queues[i] .. '_' .. listener)
        local id = redis.call('LINDEX', held, '0')
        if id and redis.call('HGET', @{namespace.prefix} .. 'task_' .. id, 'request') == request then
          call.found = @{reserving.answer_again}(call)
          break
        end
      end
    end
  end
  if not call.found then
    do
      local call = call
      local queues, meta = call.queues, call.meta
      for i = 1, #queues do
        if meta[4 * i + 1] then
          @{listeners.refuse}(queues[i], call.listener)
        end
      end
    end
    if call.full then
      call.refusal = call.full
      return
    end
    do
      local call = call
      local value_2_1, value_2_2
      do
        local call = call
        local value_3_1, value_3_2
        do
          local call = call
          local prefix, queues, meta, listener = @{namespace.prefix}, call.queues, call.meta, call.listener
          local order = call.order and @{attempt.queue_order}(call)
          local common, task, v, ghosts = meta[#meta - 1], nil, nil, nil
          if order then
            call.asked = order
          end
          for nth = 1, #queues do
            local i = order and order[nth].at or nth
            local queue, skipped, at = queues[i], 0, 4 * i - 2
            local open, weighed = not meta[at], meta[at + 1] or meta[at + 2] or common
            local pending = prefix .. 'pending_tasks_' .. queue
            while open and skipped < 100 do
              local id = redis.call('LINDEX', pending, skipped == 0 and '-1' or -1 - skipped)
              if not id then
                @{namespace.declare}(pending)
                break
              end
              local value_4_1
              do
                local id = id
                local key = @{namespace.prefix} .. 'task_' .. id
                local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'outcome', 'parameters', 'updated', 'flags')
                if v[4] or v[3] ~= '0' then
                  local ended = redis.call('HMGET', key, 'losses', 'failures', 'checkpoint')
                  v[8], v[9], v[10] = ended[1], ended[2], ended[3]
                end
                value_4_1 = v
              end
              local read = value_4_1
              v = read
              if v[1] == 'pending' and v[2] == queue and not (v[7] and string.find(v[7], 'r')) then
                task = {
                  id = id, queue = queue, status = 'pending', attempt = v[3] or '0', last = true, since = v[6],
                  taker = listener, request = call.request,
                  issue = false, deadline = false, ends = false, lease = false,
                }
                if not v[3] then
                  task.foreign = true
                end
                if v[7] then
                  task.flags = v[7]
                end
                break
              end
              if v[1] == 'pending' and v[2] == queue then
                @{attempt.add_stray}(call, { id = id, queue = queue, status = 'pending', flags = v[7] })
              end
              skipped = skipped + 1
              @{namespace.declare}(prefix .. 'task_' .. id)
            end
            if skipped > 0 then
              ghosts = ghosts or {}
              ghosts[queue] = skipped
              @{namespace.declare}(pending)
            end
            if open and weighed then
              task, v = @{attempt.select}(call, queue, task, v, {
                ranked = meta[at + 1], own = meta[at + 2], common = common, listener = listener,
              })
            elseif task and call.limit and not (order or skipped > 0 or task.flags or task.foreign or call.updates) then
              @{picking.look_behind}(call, task, v)
            end
            if task then
              break
            end
          end
          if ghosts then
            call.ghosts = ghosts
          end
          value_3_1, value_3_2 = task, v
        end
        local task, fields = value_3_1, value_3_2
        if task then
          do
            local call, task = call, task
            local listener, pid, prefix = call.listener, call.pid, @{namespace.prefix}
            local queue, ghosts = task.queue, call.ghosts
            local pending, held = prefix .. 'pending_tasks_' .. queue, prefix .. 'reserved_tasks_' .. queue .. '_' .. listener
            local leases, events = prefix .. 'leases_' .. queue, prefix .. 'events_' .. queue
            local started = pid and prefix .. 'started_tasks_' .. queue
            if redis.call('SISMEMBER', prefix .. 'listeners_' .. queue, listener) == 0 then
              @{listeners.require}(queue, listener)
            end
            local last = call.written
            local written = last and last.queue == queue and (last.taker or last.node) == listener
            if not written then
              redis.call('XLEN', events)
              if not call.request or call.ended then
                redis.call('LLEN', held)
              end
              if pid then
                redis.call('SCARD', started)
              end
              if last or call.ended then
                redis.call('ZCARD', leases)
              end
            end
            if task.foreign then
              @{namespace.probe}('ZCARD', prefix .. 'tasks_' .. queue)
            end
            if task.flags then
              @{state.plan_flags}(task, pid and 'started' or 'reserved', listener)
            end
            if call.woken then
              local left = redis.call('LLEN', pending) - (call.run and #call.run or 1)
              call.wakes = (left > (ghosts and ghosts[queue] or 0)
                or redis.call('EXISTS', @{namespace.declare}(prefix .. 'pending_ranked_tasks_' .. queue)) == 1) and queue
              if call.wakes then
                @{wakeups.plan}(queue)
              end
              if call.queues[2] then
                @{giving.plan_others}(call, queue)
              end
            end
            if call.updates then
              @{attempt.plan_updates}(call.updates)
            end
            if call.asked then
              @{namespace.probe}('HLEN', prefix .. 'rounds_' .. listener)
            end
            local may, role = redis.acl_check_cmd, @{namespace.prefix} .. 'WORKER'
            if ghosts or call.asked or task.flags or task.foreign or call.updates or call.others then
              @{rights.require}()
            elseif may and not ((written or may('HSET', role, '', '') and may('XADD', events, '*', '', ''))
              and (call.run and may('LTRIM', pending, '', '') and may('LPUSH', held, '') or not call.run
                and may('RPOPLPUSH', pending, held))
              and (not pid or may('SADD', started, '')) and (not call.wakes or may('LPUSH', prefix .. 'wake_' .. queue, ''))) then
              @{rights.require}()
            end
            if @{namespace.declared} then
              for _, taken in ipairs(call.run or { task }) do
                @{namespace.declare}(prefix .. 'task_' .. taken.id)
              end
              @{namespace.begin_declared}(leases, pending, held, events, started or held)
            end
          end
        end
        value_2_1, value_2_2 = task, fields
      end
      local task, fields = value_2_1, value_2_2
      if task then
        do
          local call, task, fields = call, task, fields
          if call.run then
            @{giving.commit_run}(call)
          else
            if call.ghosts then
              redis.call('ZCARD', @{namespace.prefix} .. 'leases_' .. task.queue)
              @{attempt.clear}(call)
            end
            local lease = call.lease
            if task.flags then
              lease = tonumber(task.own_lease) or lease
            end
            lease = lease or task.set_lease or 60000000
            do
              local task, lease, why, apart, pid = task, lease, 'reserve', call.meta[#call.meta], call.pid
              local listener, length = task.taker, lease == 60000000 and '60000000' or lease
              do
                local task, lease, apart = task, lease, apart
                local us = @{namespace.now_us} + 1
                @{namespace.now_us} = us
                local token, ends = @{namespace.digits}(us), us + lease
                local value_5_1
                do
                  local us = ends
                  local micros = us % 1000000
                  value_5_1 = string.format('%d%06d', (us - micros) / 1000000, micros)
                end
                local deadline = value_5_1
                if apart then
                  token = string.format('%.0f', math.max(us, tonumber(apart) + 1))
                end
                task.lease, task.issue, task.ends, task.deadline = lease, token, ends, deadline
                task.attempt = task.attempt == '0' and '1' or string.format('%d', task.attempt + 1)
              end
              local value_4_1
              do
                local task = task
                local since, now = task.since, @{namespace.now}
                if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
                  now = since
                end
                value_4_1 = now
              end
              local now = value_4_1
              if pid then
                task.node, task.pid = listener, pid
                @{state.move}(task, 'started', why, listener,
                  'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
                  'pid', pid, 'started', now)
              else
                @{state.move}(task, 'reserved', why, listener,
                  'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
                  'reserved', now)
              end
              do
                local token, apart = task.issue, apart
                if apart then
                  redis.call('HSET', @{namespace.meta}, 'token', token)
                  token = string.format('%.0f', @{namespace.now_us})
                end
                do
                  local us = token
                  redis.call('HSET', @{namespace.meta}, 'clock:1', us)
                  if @{namespace.gap} then
                    redis.call('HSET', @{namespace.meta}, 'gap', string.format('%.0f', @{namespace.gap}))
                  end
                end
              end
            end
            if call.updates then
              @{attempt.write_updates}(call.updates)
            end
            if call.asked then
              @{attempt.record_served}(call.listener, call.asked, task.queue)
            end
            do
              local call, task, v = call, task, fields
              if call.found then
                @{giving.append}(call.found, task, v)
              else
                call.found = { task.id, task.queue, task.issue, tonumber(task.attempt), task.ends, task.lease,
                  v[4] or '', v[8] or '0', v[9] or '0', v[5] or '', v[10] or false }
              end
            end
          end
        end
        if call.limit then
          @{reserving.take_more}(call, task, fields)
        end
      end
      if call.wakes then
        do
          local queue = call.wakes
          local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
          local value_3_1
          do
            local queue, idle, sets = queue, idle[queue], idle['*']
            if idle then
              redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
            end
            if sets then
              do
                local queue = queue
                local ready = @{namespace.prefix} .. 'ready'
                if not @{namespace.declared} or @{namespace.is_here}(ready) then
                  redis.pcall('ZADD', ready, '0', queue)
                end
              end
              if sets ~= '' then
                sets = @{wakeups.wake_sets}(sets, queue)
              end
            end
            redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
            value_3_1 = sets
          end
          local sets = value_3_1
          idle[queue], idle['*'] = nil, sets
        end
      end
      if call.others then
        for _, queue in ipairs(call.others) do
          do
            local queue = queue
            local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
            local value_3_1
            do
              local queue, idle, sets = queue, idle[queue], idle['*']
              if idle then
                redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
              end
              if sets then
                do
                  local queue = queue
                  local ready = @{namespace.prefix} .. 'ready'
                  if not @{namespace.declared} or @{namespace.is_here}(ready) then
                    redis.pcall('ZADD', ready, '0', queue)
                  end
                end
                if sets ~= '' then
                  sets = @{wakeups.wake_sets}(sets, queue)
                end
              end
              redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
              value_3_1 = sets
            end
            local sets = value_3_1
            idle[queue], idle['*'] = nil, sets
          end
        end
      end
    end
    if not call.found then
      @{reserving.nothing}(call)
    end
  end
end

=== reserving.full
function @{reserving.full}(queue)
  local answer = redis.pcall('ZADD', @{namespace.prefix} .. 'leases_' .. queue, 'XX', '0', '')
  return type(answer) == 'table' and @{reply.code}(answer)
end

=== reserving.prepare
function @{reserving.prepare}(call)
  local value_1_1, value_1_2
  do
    local call = call
    local prefix, queues, meta, listener = @{namespace.prefix}, call.queues, call.meta, call.listener
    local order = call.order and @{attempt.queue_order}(call)
    local common, task, v, ghosts = meta[#meta - 1], nil, nil, nil
    if order then
      call.asked = order
    end
    for nth = 1, #queues do
      local i = order and order[nth].at or nth
      local queue, skipped, at = queues[i], 0, 4 * i - 2
      local open, weighed = not meta[at], meta[at + 1] or meta[at + 2] or common
      local pending = prefix .. 'pending_tasks_' .. queue
      while open and skipped < 100 do
        local id = redis.call('LINDEX', pending, skipped == 0 and '-1' or -1 - skipped)
        if not id then
          @{namespace.declare}(pending)
          break
        end
        local value_2_1
        do
          local id = id
          local key = @{namespace.prefix} .. 'task_' .. id
          local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'outcome', 'parameters', 'updated', 'flags')
          if v[4] or v[3] ~= '0' then
            local ended = redis.call('HMGET', key, 'losses', 'failures', 'checkpoint')
            v[8], v[9], v[10] = ended[1], ended[2], ended[3]
          end
          value_2_1 = v
        end
        local read = value_2_1
        v = read
        if v[1] == 'pending' and v[2] == queue and not (v[7] and string.find(v[7], 'r')) then
          task = {
            id = id, queue = queue, status = 'pending', attempt = v[3] or '0', last = true, since = v[6],
            taker = listener, request = call.request,
            issue = false, deadline = false, ends = false, lease = false,
          }
          if not v[3] then
            task.foreign = true
          end
          if v[7] then
            task.flags = v[7]
          end
          break
        end
        if v[1] == 'pending' and v[2] == queue then
          @{attempt.add_stray}(call, { id = id, queue = queue, status = 'pending', flags = v[7] })
        end
        skipped = skipped + 1
        @{namespace.declare}(prefix .. 'task_' .. id)
      end
      if skipped > 0 then
        ghosts = ghosts or {}
        ghosts[queue] = skipped
        @{namespace.declare}(pending)
      end
      if open and weighed then
        task, v = @{attempt.select}(call, queue, task, v, {
          ranked = meta[at + 1], own = meta[at + 2], common = common, listener = listener,
        })
      elseif task and call.limit and not (order or skipped > 0 or task.flags or task.foreign or call.updates) then
        @{picking.look_behind}(call, task, v)
      end
      if task then
        break
      end
    end
    if ghosts then
      call.ghosts = ghosts
    end
    value_1_1, value_1_2 = task, v
  end
  local task, fields = value_1_1, value_1_2
  if task then
    do
      local call, task = call, task
      local listener, pid, prefix = call.listener, call.pid, @{namespace.prefix}
      local queue, ghosts = task.queue, call.ghosts
      local pending, held = prefix .. 'pending_tasks_' .. queue, prefix .. 'reserved_tasks_' .. queue .. '_' .. listener
      local leases, events = prefix .. 'leases_' .. queue, prefix .. 'events_' .. queue
      local started = pid and prefix .. 'started_tasks_' .. queue
      if redis.call('SISMEMBER', prefix .. 'listeners_' .. queue, listener) == 0 then
        @{listeners.require}(queue, listener)
      end
      local last = call.written
      local written = last and last.queue == queue and (last.taker or last.node) == listener
      if not written then
        redis.call('XLEN', events)
        if not call.request or call.ended then
          redis.call('LLEN', held)
        end
        if pid then
          redis.call('SCARD', started)
        end
        if last or call.ended then
          redis.call('ZCARD', leases)
        end
      end
      if task.foreign then
        @{namespace.probe}('ZCARD', prefix .. 'tasks_' .. queue)
      end
      if task.flags then
        @{state.plan_flags}(task, pid and 'started' or 'reserved', listener)
      end
      if call.woken then
        local left = redis.call('LLEN', pending) - (call.run and #call.run or 1)
        call.wakes = (left > (ghosts and ghosts[queue] or 0)
          or redis.call('EXISTS', @{namespace.declare}(prefix .. 'pending_ranked_tasks_' .. queue)) == 1) and queue
        if call.wakes then
          @{wakeups.plan}(queue)
        end
        if call.queues[2] then
          @{giving.plan_others}(call, queue)
        end
      end
      if call.updates then
        @{attempt.plan_updates}(call.updates)
      end
      if call.asked then
        @{namespace.probe}('HLEN', prefix .. 'rounds_' .. listener)
      end
      local may, role = redis.acl_check_cmd, @{namespace.prefix} .. 'WORKER'
      if ghosts or call.asked or task.flags or task.foreign or call.updates or call.others then
        @{rights.require}()
      elseif may and not ((written or may('HSET', role, '', '') and may('XADD', events, '*', '', ''))
        and (call.run and may('LTRIM', pending, '', '') and may('LPUSH', held, '') or not call.run
          and may('RPOPLPUSH', pending, held))
        and (not pid or may('SADD', started, '')) and (not call.wakes or may('LPUSH', prefix .. 'wake_' .. queue, ''))) then
        @{rights.require}()
      end
      if @{namespace.declared} then
        for _, taken in ipairs(call.run or { task }) do
          @{namespace.declare}(prefix .. 'task_' .. taken.id)
        end
        @{namespace.begin_declared}(leases, pending, held, events, started or held)
      end
    end
  end
  return task, fields
end

=== reserving.nothing
function @{reserving.nothing}(call)
  local prefix, queues, listener = @{namespace.prefix}, call.queues, call.listener
  for _, queue in ipairs(queues) do
    @{listeners.require}(queue, listener)
    @{namespace.probe}('ZCARD', prefix .. 'seen_' .. queue)
    @{namespace.declare}(prefix .. 'pending_tasks_' .. queue)
  end
  if call.updates then
    @{attempt.plan_updates}(call.updates)
  end
  @{namespace.begin}()
  @{attempt.clear}(call)
  for _, queue in ipairs(queues) do
    @{listeners.seen}(queue, listener)
  end
  if call.updates then
    @{attempt.write_updates}(call.updates)
  end
end

=== reserving.or_due
function @{reserving.or_due}(call)
  if call.found then
    return { '', unpack(call.found) }
  end
  local first = call.due and @{namespace.decimal}(@{maintenance.first}(@{maintenance.read}(call.queues)))
  @{reserving.nothing}(call)
  return { first or '' }
end

=== retention.prune
function @{retention.prune}(queue, limit, options)
  local keep = options.keep or tonumber(@{settings.get}(queue, 'keep'))
  local oldest = @{namespace.now_us} - (options.seconds or @{settings.get}(queue, 'retain') * 1000000)
  local pass = { queue = queue, total = 0, taken = {}, tails = {}, kept = 0, untold = {}, gone = {} }
  for _, kind in ipairs({ 'complete', 'failed', 'cancelled' }) do
    pass.total, pass.taken[kind] = pass.total + @{namespace.probe}('LLEN', @{namespace.key}(kind .. '_tasks', queue)), 0
    @{retention.find_tail}(pass, kind)
  end
  local more = @{retention.choose}(pass, limit, keep, oldest)
  local spared = @{retention.plan}(pass)
  local expired = @{holdings.expired_names}(queue, limit)
  if pass.untold[1] then
    @{namespace.probe}('ZCARD', @{edges.deferred}())
  end
  local aged = @{logs.look}(100, 0, spared)
  @{namespace.begin}()
  @{holdings.release_expired_names}(queue, expired)
  @{retention.delete}(pass)
  for _, id in ipairs(pass.untold) do
    redis.call('ZADD', @{edges.deferred}(), 'NX', @{namespace.now}, id)
  end
  @{logs.free}(aged)
  return { #pass.gone, more }
end

=== retention.find_tail
function @{retention.find_tail}(pass, kind)
  local task, needed, waits
  repeat
    local id = redis.call('LINDEX', @{namespace.key}(kind .. '_tasks', pass.queue), -1 - pass.taken[kind])
    task = id and (@{record.find}(id, 'updated') or { id = id, extra = {} })
    needed, waits = @{edges.is_needed}(task or {})
    if needed then
      pass.taken[kind], pass.kept = pass.taken[kind] + 1, pass.kept + 1
      pass.untold[#pass.untold + 1], task = waits and id or nil, nil
    end
  until not needed or pass.kept > 100
  pass.tails[kind] = task and { task = task, at = tonumber(task.extra[1] or 0) * 1000000 }
end

=== retention.choose
function @{retention.choose}(pass, limit, keep, oldest)
  local tails = pass.tails
  while true do
    local kind
    for _, candidate in ipairs({ 'complete', 'failed', 'cancelled' }) do
      if tails[candidate] and (not kind or tails[candidate].at < tails[kind].at) then
        kind = candidate
      end
    end
    if not kind or pass.total - #pass.gone <= keep and tails[kind].at >= oldest then
      return 0
    elseif #pass.gone == limit then
      return 1
    end
    local task = tails[kind].task
    task.kind, task.from_end = kind, -1
    pass.gone[#pass.gone + 1], pass.taken[kind] = task, pass.taken[kind] + 1
    @{retention.find_tail}(pass, kind)
  end
end

=== retention.plan
function @{retention.plan}(pass)
  local planned, spared = {}, {}
  for _, task in ipairs(pass.gone) do
    spared[task.id] = true
    task.ours = task.status == task.kind and task.queue == pass.queue
    if task.ours and planned[task.kind] and not task.flags then
      @{state.plan_own}(task, 'deleted')
    elseif task.ours then
      planned[task.kind] = planned[task.kind] or not task.flags
      @{state.plan}(task, 'deleted')
    end
  end
  return spared
end

=== retention.delete
function @{retention.delete}(pass)
  for _, task in ipairs(pass.gone) do
    if task.ours then
      @{state.move}(task, 'deleted', 'prune', '')
    else
      redis.call('LREM', @{namespace.key}(task.kind .. '_tasks', pass.queue), -1, task.id)
      if task.queue == '' then
        redis.call('UNLINK', task.key)
      end
    end
  end
end

=== retries.policy
function @{retries.policy}(task)
  local names = { 'max_failures', 'backoff', 'delay', 'max_delay', 'jitter' }
  local own = redis.call('HMGET', @{namespace.prefix} .. 'task_' .. task.id, unpack(names))
  local policy = {}
  for i, name in ipairs(names) do
    policy[name] = own[i] or @{settings.get}(task.queue, name)
  end
  return policy
end

=== retries.fraction
function @{retries.fraction}(task, failures)
  return tonumber(string.sub(redis.sha1hex(task.id .. ' ' .. failures), 1, 8), 16) / 4294967296
end

=== retries.pause
function @{retries.pause}(task, failures, again)
  local policy = @{retries.policy}(task)
  if failures > tonumber(policy.max_failures) then
    return nil
  elseif again then
    return again
  end
  local pause, most = tonumber(policy.delay), tonumber(policy.max_delay)
  if policy.backoff == 'exponential' then
    pause = pause * 2 ^ math.min(failures - 1, 40)
  end
  pause = math.min(pause, most)
  return math.floor(pause * (1 - policy.jitter / 100 * @{retries.fraction}(task, failures)) * 1000000)
end

=== retries.plan
function @{retries.plan}(task, pause)
  if pause == 0 then
    return 'pending'
  end
  task.eta = @{namespace.decimal}(@{namespace.now_us} + pause)
  task.own_eta = redis.call('HEXISTS', @{namespace.prefix} .. 'task_' .. task.id, 'eta') == 0
  return 'scheduled'
end

=== retries.finish
function @{retries.finish}(task, to, outcome, why, ...)
  if to == 'scheduled' and task.own_eta then
    return @{fence.finish}(task, to, outcome, why, 'eta', task.eta, 'retry_eta', '1', ...)
  elseif to == 'scheduled' then
    return @{fence.finish}(task, to, outcome, why, 'eta', task.eta, ...)
  end
  @{fence.finish}(task, to, outcome, why, ...)
  if to == 'pending' then
    do
      local queue = task.queue
      local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
      local value_2_1
      do
        local queue, idle, sets = queue, idle[queue], idle['*']
        if idle then
          redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
        end
        if sets then
          do
            local queue = queue
            local ready = @{namespace.prefix} .. 'ready'
            if not @{namespace.declared} or @{namespace.is_here}(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if sets ~= '' then
            sets = @{wakeups.wake_sets}(sets, queue)
          end
        end
        redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
        value_2_1 = sets
      end
      local sets = value_2_1
      idle[queue], idle['*'] = nil, sets
    end
  end
  return outcome
end

=== retrying.plan
function @{retrying.plan}(task, spec)
  if (task.status == 'pending' or task.status == 'waiting') and task.extra[1] == 'retry' then
    return
  elseif @{record.held}(task) and task.cancel then
    return @{retrying.stopping}(task)
  elseif task.status ~= 'failed' and task.status ~= 'cancelled' and not (spec.reruns and task.status == 'complete') then
    return @{actions.refuse}(task, 'failed or cancelled')
  elseif spec.elsewhere and spec.queue ~= task.queue then
    return spec.elsewhere(task, spec)
  elseif not @{actions.unique}(task, spec) then
    return 'DUPLICATE', 'another task has this unique name; get its id with the policy existing, or wait until it ends, starts, or its time passes'
  end
  if task.flags and string.find(task.flags, 'w', 1, true) then
    local code, text = (spec.look or @{edge_retry.plan_retry})(task, spec)
    if code then
      return code, text
    end
  end
  if task.flags or spec.deadline then
    local code, text = @{deadlines.plan_retry}(task, spec.deadline)
    if code then
      return code, text
    end
  end
  if task.flags and not spec.walks and string.find(task.flags, 'g', 1, true) then
    @{holdings.load}(task)
    @{graphs.plan_repair}(task)
  end
  if task.extra[6] then
    @{schedules.again}(task, task.extra[6])
  end
  @{actions.plan}(task, task.again_edges and task.again_edges.to or 'pending', spec)
end

=== retrying.plan_elsewhere
function @{retrying.plan_elsewhere}(task, spec)
  if task.flags and string.find(task.flags, '[gw]') then
    return 'STATE', 'the task waited for others, or is a part of a graph: retry it in its queue'
  end
  local code, text = @{moving.destination}(spec)
  if code then
    return code, text
  end
  code, text = @{deadlines.plan_retry}(task)
  if code then
    return code, text
  end
  code, text = @{moving.plan_entry}(task, 'pending', spec)
  if not code and task.extra[6] then
    @{schedules.again}(task.other, task.extra[6])
    task.again = task.other.again
  end
  return code, text
end

=== retrying.stopping
function @{retrying.stopping}(task)
  local deadline = tonumber(redis.call('ZSCORE', @{namespace.key}('leases', task.queue), @{record.lease}(task)) or nil)
  local till = deadline and @{orders.of}(task) == 'kill' and 'until ' .. @{namespace.decimal}(deadline)
      .. ' at the latest'
    or 'until its owner has stopped it'
  return 'STOPPING', 'the task is being cancelled and its program may still run, ' .. till
    .. ': repeat the call then'
end

=== retrying.retry
function @{retrying.retry}(task, spec)
  task.forget = { 'error', 'group', 'last_error', 'last_group', 'reason', 'cause', 'discard', 'cascade', 'front',
    'uncounted', 'stalled_losses', @{record.attempt_fields}() }
  if spec.fresh then
    @{reply.add}(task.forget, 'checkpoint', 'checkpointed', 'ended')
  end
  if spec.reruns then
    @{reply.add}(task.forget, 'result', 'readied')
  end
  if task.extra[5] then
    @{reply.add}(task.forget, 'eta', 'retry_eta')
  end
  local stale = { 'failures', '0', 'losses', '0', 'releases', '0', 'outcome', 'retry' }
  if task.token ~= '' then
    @{reply.add}(stale, 'ended', task.token)
    @{reply.add}(task.forget, 'token', 'lease', 'request')
  end
  if task.new_end then
    @{reply.add}(stale, 'deadline', task.new_end, 'flags', task.flags)
  end
  @{reply.add}(stale, unpack(task.bind or {}))
  if task.other then
    task.other.forget, task.forget = task.forget, nil
    @{moving.arrive}(task, spec, 'retry', unpack(stale))
  else
    @{state.move}(task, task.to, 'retry', '', unpack(stale))
    spec.wakes = task.queue
  end
  if task.again_edges then
    (spec.wait or @{edge_retry.retry})(task)
  end
  if task.repairs then
    @{graphs.begin_walk}(task.graph, 'repair')
  end
  if task.again then
    @{schedules.remember}(task)
  end
end

=== rights.denied
function @{rights.denied}(names, role)
  local may, key = redis.acl_check_cmd, @{namespace.prefix} .. role
  if not may then
    return nil
  end
  for _, name in ipairs(names) do
    if not may(name, name == 'XINFO' and 'STREAM' or key, key, key) then
      return name
    end
  end
end

=== rights.refuse adopt append_log attend checkpoint complete fail finish_and_reserve heartbeat progress register release report reserve start unregister
function @{rights.refuse}(name)
  local role = string.match('WORKER', '^%u+$')
  if role and not @{rights.denied}({ name }, 'meta') then
    @{reply.fail}('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. @{namespace.prefix} .. '[a-z]* ~' .. @{namespace.prefix} .. role .. '; nothing was changed')
  end
  @{reply.fail}('NOPERM', 'this user may not run ' .. name .. ' on ' .. @{namespace.prefix}
    .. '*: grant it with ACL SETUSER; nothing was changed')
end

=== rights.refuse aggregate answer_notice maintenance promote prune ready repair requeue_orphans run_deferred supply_times take_notices tick
function @{rights.refuse}(name)
  local role = string.match('MAINTENANCE', '^%u+$')
  if role and not @{rights.denied}({ name }, 'meta') then
    @{reply.fail}('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. @{namespace.prefix} .. '[a-z]* ~' .. @{namespace.prefix} .. role .. '; nothing was changed')
  end
  @{reply.fail}('NOPERM', 'this user may not run ' .. name .. ' on ' .. @{namespace.prefix}
    .. '*: grant it with ACL SETUSER; nothing was changed')
end

=== rights.refuse bulk configure delete_queue drain limit pause pause_schedule requeue reset_clock resume resume_schedule run_schedule schedule set_topology unschedule
function @{rights.refuse}(name)
  local role = string.match('ADMINISTRATOR', '^%u+$')
  if role and not @{rights.denied}({ name }, 'meta') then
    @{reply.fail}('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. @{namespace.prefix} .. '[a-z]* ~' .. @{namespace.prefix} .. role .. '; nothing was changed')
  end
  @{reply.fail}('NOPERM', 'this user may not run ' .. name .. ' on ' .. @{namespace.prefix}
    .. '*: grant it with ACL SETUSER; nothing was changed')
end

=== rights.refuse cancel cancel_graph delete depend describe edit hold move note prioritise redeliver retry retry_graph signal submit submit_graph suspend tag track undepend unhold unsuspend untag untrack
function @{rights.refuse}(name)
  local role = string.match('CLIENT', '^%u+$')
  if role and not @{rights.denied}({ name }, 'meta') then
    @{reply.fail}('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. @{namespace.prefix} .. '[a-z]* ~' .. @{namespace.prefix} .. role .. '; nothing was changed')
  end
  @{reply.fail}('NOPERM', 'this user may not run ' .. name .. ' on ' .. @{namespace.prefix}
    .. '*: grant it with ACL SETUSER; nothing was changed')
end

=== rights.check adopt append_log attend checkpoint complete fail finish_and_reserve heartbeat progress register release report reserve start unregister
function @{rights.check}(names)
  local name = @{rights.denied}(names, 'WORKER')
  if name then
    @{rights.refuse}(name)
  end
end

=== rights.check aggregate answer_notice maintenance promote prune ready repair requeue_orphans run_deferred supply_times take_notices tick
function @{rights.check}(names)
  local name = @{rights.denied}(names, 'MAINTENANCE')
  if name then
    @{rights.refuse}(name)
  end
end

=== rights.check bulk configure delete_queue drain limit pause pause_schedule requeue reset_clock resume resume_schedule run_schedule schedule set_topology unschedule
function @{rights.check}(names)
  local name = @{rights.denied}(names, 'ADMINISTRATOR')
  if name then
    @{rights.refuse}(name)
  end
end

=== rights.check cancel cancel_graph delete depend describe edit hold move note prioritise redeliver retry retry_graph signal submit submit_graph suspend tag track undepend unhold unsuspend untag untrack
function @{rights.check}(names)
  local name = @{rights.denied}(names, 'CLIENT')
  if name then
    @{rights.refuse}(name)
  end
end

=== rights.require adopt bulk cancel complete delete depend edit fail hold move promote prune release repair requeue retry run_schedule start submit tick undepend unhold
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end

=== rights.require aggregate
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HGET', 'HMGET', 'HSET', 'UNLINK', 'XTRIM', 'ZADD', 'ZCARD', 'ZREM' })
end

=== rights.require answer_notice
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HDEL', 'HGET', 'HGETALL', 'HSET', 'SREM', 'UNLINK', 'ZADD', 'ZCARD', 'ZREM' })
end

=== rights.require append_log
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HGET', 'HINCRBY', 'HMGET', 'HSET', 'UNLINK', 'XADD', 'XDEL', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end

=== rights.require attend note
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HMGET', 'HSET', 'UNLINK', 'XADD', 'XREVRANGE', 'ZCARD' })
end

=== rights.require cancel_graph retry_graph
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HMGET', 'HSET', 'UNLINK', 'XADD', 'ZADD', 'ZCARD' })
end

=== rights.require checkpoint drain pause progress
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HDEL', 'HGET', 'HMGET', 'HSET', 'XADD', 'ZCARD' })
end

=== rights.require configure
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HINCRBY', 'HMGET', 'HSET', 'LPUSH', 'XADD', 'ZADD', 'ZCARD' })
end

=== rights.require delete_queue
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HMGET', 'HSET', 'UNLINK', 'XADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end

=== rights.require describe signal suspend unsuspend
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HMGET', 'HSET', 'LPUSH', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD' })
end

=== rights.require finish_and_reserve reserve
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOP', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end

=== rights.require heartbeat
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HGET', 'HMGET', 'HSET', 'ZADD', 'ZCARD', 'ZMSCORE', 'ZREM' })
end

=== rights.require limit
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HMGET', 'HSET', 'HVALS', 'LINDEX', 'LPUSH', 'UNLINK', 'XADD', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end

=== rights.require maintenance
function @{rights.require}()
  @{rights.check}({ 'APPEND', 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOP', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SET', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'XTRIM', 'ZADD', 'ZCARD', 'ZINCRBY', 'ZMSCORE', 'ZRANGE', 'ZREM', 'ZREMRANGEBYSCORE' })
end

=== rights.require pause_schedule resume_schedule
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HDEL', 'HGET', 'HGETALL', 'HMGET', 'HSET', 'XADD', 'ZADD', 'ZCARD', 'ZREM' })
end

=== rights.require prioritise
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'XADD', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end

=== rights.require ready
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HMGET', 'HSET', 'LPUSH', 'SADD', 'ZADD', 'ZCARD', 'ZINCRBY', 'ZRANGE', 'ZREM' })
end

=== rights.require redeliver
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HGET', 'HGETALL', 'HSET', 'ZADD', 'ZCARD', 'ZREM' })
end

=== rights.require register
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HDEL', 'HGET', 'HSET', 'SADD', 'ZADD', 'ZCARD', 'ZINCRBY' })
end

=== rights.require report
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HDEL', 'HGET', 'HMGET', 'HSET', 'SADD', 'ZADD', 'ZCARD', 'ZINCRBY', 'ZREM' })
end

=== rights.require requeue_orphans
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZINCRBY', 'ZRANGE', 'ZREM' })
end

=== rights.require reset_clock
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HMGET', 'HSET', 'XADD', 'ZCARD', 'ZRANGE' })
end

=== rights.require resume
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HMGET', 'HSET', 'LPUSH', 'XADD', 'ZADD', 'ZCARD' })
end

=== rights.require run_deferred
function @{rights.require}()
  @{rights.check}({ 'APPEND', 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'RPOP', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SET', 'SREM', 'UNLINK', 'XADD', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZMSCORE', 'ZRANGE', 'ZREM', 'ZREMRANGEBYSCORE' })
end

=== rights.require schedule
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'XADD', 'ZADD', 'ZCARD', 'ZREM' })
end

=== rights.require set_topology
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HGET', 'HMGET', 'HSET', 'XADD', 'ZCARD' })
end

=== rights.require submit_graph
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HMGET', 'HSET', 'RPUSH', 'ZADD', 'ZCARD' })
end

=== rights.require supply_times
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HDEL', 'HGET', 'HGETALL', 'HSET', 'ZADD', 'ZCARD', 'ZREM' })
end

=== rights.require tag untag
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HDEL', 'HGET', 'HMGET', 'HSET', 'ZADD', 'ZCARD', 'ZREM' })
end

=== rights.require take_notices
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HGET', 'HGETALL', 'HMGET', 'HSET', 'ZADD', 'ZCARD', 'ZREM' })
end

=== rights.require track
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HGET', 'HMGET', 'HSET', 'XADD', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end

=== rights.require unregister
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HDEL', 'HGET', 'HMGET', 'HSET', 'SREM', 'UNLINK', 'ZCARD', 'ZINCRBY', 'ZREM' })
end

=== rights.require unschedule
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'UNLINK', 'XADD', 'ZADD', 'ZCARD', 'ZREM' })
end

=== rights.require untrack
function @{rights.require}()
  @{rights.check}({ 'EXISTS', 'HDEL', 'HGET', 'HMGET', 'HSET', 'XADD', 'ZCARD', 'ZREM' })
end

=== rights.missing
function @{rights.missing}()
  local denied, missing, others = {}, {}, {}
  for name, role, calls in string.gmatch('adopt/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SISMEMBER SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;aggregate/MAINTENANCE=EXISTS HEXISTS HGET HMGET HSET TIME UNLINK XINFO XLEN XRANGE XTRIM ZADD ZCARD ZRANGEBYSCORE ZREM;answer_notice/MAINTENANCE=EXISTS HDEL HEXISTS HGET HGETALL HSET SCARD SREM TIME UNLINK XINFO ZADD ZCARD ZREM;append_log/WORKER=EXISTS EXPIRE HEXISTS HGET HINCRBY HMGET HSET TIME UNLINK XADD XDEL XINFO XLEN XRANGE ZADD ZCARD ZRANGE ZREM;attend/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET TIME UNLINK XADD XINFO XLEN XREVRANGE ZCARD;audit/meta=EXISTS HEXISTS HGET TIME XRANGE;bulk/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HSTRLEN HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZRANK ZREM ZREVRANGE ZSCORE;cancel/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;cancel_graph/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET TIME UNLINK XADD XINFO XLEN ZADD ZCARD;changes/meta=EXISTS HEXISTS HGET TIME XRANGE;checkpoint/WORKER=EXISTS HDEL HEXISTS HGET HMGET HSET TIME XADD XINFO XLEN ZCARD;complete/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;configure/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HINCRBY HMGET HSET LLEN LPUSH TIME XADD XINFO XLEN ZADD ZCARD;counts/meta=EXISTS HEXISTS HGET HMGET LLEN SCARD SMEMBERS SSCAN TIME ZCARD ZSCORE;delete/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;delete_queue/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSCAN HSET TIME UNLINK XADD XINFO XLEN ZCARD ZRANGE ZREM ZSCORE;depend/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HKEYS HLEN HMGET HSCAN HSET HSETNX HSTRLEN HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;describe/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET LPUSH TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD;description/meta=EXISTS HEXISTS HGET TIME;drain/ADMINISTRATOR=EXISTS HDEL HEXISTS HGET HLEN HMGET HSET SISMEMBER TIME XADD XINFO XLEN ZCARD;edit/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;estimate/meta=EXISTS HEXISTS HGET HGETALL HMGET HSCAN LINDEX LLEN LPOS LRANGE SCARD SRANDMEMBER SSCAN TIME ZCARD ZCOUNT ZRANGE ZRANK ZREVRANGE ZSCORE;events/meta=EXISTS HEXISTS HGET TIME XRANGE;fail/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;find/meta=EXISTS HEXISTS HGET HMGET LLEN LRANGE SCARD SMEMBERS TIME ZCARD ZCOUNT ZRANGE ZRANK ZREVRANGE ZSCAN ZSCORE;finish_and_reserve/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPUSH LRANGE LREM LTRIM RPOP RPOPLPUSH RPUSH SADD SCARD SISMEMBER SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;get/meta=EXISTS HEXISTS HGET HGETALL TIME;get_many/meta=EXISTS HEXISTS HGET HGETALL TIME;graphs/meta=EXISTS HEXISTS HGET HMGET TIME ZCARD ZCOUNT ZRANGE ZRANK ZREVRANGE ZSCORE;groups/meta=EXISTS HEXISTS HGET TIME ZCARD ZCOUNT ZRANGE ZRANK ZREVRANGE ZSCORE;handshake/meta=EXISTS HEXISTS HGET HMGET TIME XINFO;heartbeat/WORKER=EXISTS HEXISTS HGET HLEN HMGET HSET SISMEMBER TIME XINFO ZADD ZCARD ZMSCORE ZREM;history/meta=EXISTS HEXISTS HGET HMGET TIME XRANGE XREVRANGE;hold/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;limit/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET HVALS LINDEX LLEN LPUSH TIME UNLINK XADD XINFO XLEN ZADD ZCARD ZRANGE ZREM;limits/meta=EXISTS HEXISTS HGET HSCAN TIME;list/meta=EXISTS HEXISTS HGET HMGET LLEN LRANGE SSCAN TIME ZCARD ZCOUNT ZRANGE ZREVRANGE ZSCAN ZSCORE;list_held/meta=EXISTS HEXISTS HGET HMGET LRANGE TIME ZRANGE ZSCORE;listeners/meta=EXISTS HEXISTS HGET LLEN SSCAN TIME ZSCORE;logs/meta=EXISTS HEXISTS HGET TIME XRANGE XREVRANGE;maintenance/MAINTENANCE=APPEND EXISTS EXPIRE GET HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HSTRLEN HVALS LINDEX LLEN LPOS LPUSH LRANGE LREM LTRIM RPOP RPOPLPUSH RPUSH SADD SCAN SCARD SET SISMEMBER SREM SSCAN STRLEN TIME UNLINK XADD XINFO XLEN XRANGE XREVRANGE XTRIM ZADD ZCARD ZCOUNT ZINCRBY ZMSCORE ZRANGE ZRANGEBYSCORE ZREM ZREMRANGEBYSCORE ZREVRANGE ZSCORE;move/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;note/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HMGET HSET TIME UNLINK XADD XINFO XLEN XREVRANGE ZCARD;notices/meta=EXISTS HEXISTS HGET HGETALL TIME;pause/ADMINISTRATOR=EXISTS HDEL HEXISTS HGET HLEN HMGET HSET TIME XADD XINFO XLEN ZCARD;pause_schedule/ADMINISTRATOR=EXISTS HDEL HEXISTS HGET HGETALL HMGET HSET TIME XADD XINFO XLEN ZADD ZCARD ZREM;peek/meta=EXISTS HEXISTS HGET HGETALL HMGET LINDEX LRANGE TIME ZCARD ZRANGE ZRANGEBYSCORE ZSCORE;prioritise/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HINCRBY HLEN HMGET HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM TIME XADD XINFO XLEN ZADD ZCARD ZRANGE ZREM ZSCORE;progress/WORKER=EXISTS HDEL HEXISTS HGET HMGET HSET TIME XADD XINFO XLEN ZCARD;promote/MAINTENANCE=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;prune/MAINTENANCE=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;queues/meta=EXISTS HEXISTS HGET HMGET LLEN SCARD SSCAN TIME ZRANGE ZSCORE;ready/MAINTENANCE=EXISTS EXPIRE HDEL HEXISTS HGET HMGET HSET LLEN LPUSH SADD SISMEMBER TIME XINFO ZADD ZCARD ZINCRBY ZRANGE ZREM ZSCAN ZSCORE;redeliver/CLIENT=EXISTS HEXISTS HGET HGETALL HLEN HSET SCARD TIME XINFO ZADD ZCARD ZREM ZSCORE;register/WORKER=EXISTS HDEL HEXISTS HGET HLEN HSET SADD SCARD TIME XINFO ZADD ZCARD ZINCRBY;release/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HKEYS HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;repair/MAINTENANCE=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LRANGE LREM LTRIM RPOPLPUSH RPUSH SADD SCAN SCARD SISMEMBER SREM SSCAN TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZREVRANGE ZSCORE;report/WORKER=EXISTS HDEL HEXISTS HGET HMGET HSET SADD SISMEMBER TIME XINFO ZADD ZCARD ZINCRBY ZREM;requeue/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;requeue_orphans/MAINTENANCE=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SISMEMBER SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZINCRBY ZRANGE ZRANGEBYSCORE ZREM ZSCORE;reserve/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPUSH LRANGE LREM LTRIM RPOP RPOPLPUSH RPUSH SADD SCARD SISMEMBER SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;reset_clock/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HMGET HSET TIME XADD XINFO XLEN ZCARD ZRANGE;resume/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET LLEN LPUSH TIME XADD XINFO XLEN ZADD ZCARD;resume_schedule/ADMINISTRATOR=EXISTS HDEL HEXISTS HGET HGETALL HMGET HSET TIME XADD XINFO XLEN ZADD ZCARD ZREM;retry/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HSTRLEN HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;retry_graph/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET TIME UNLINK XADD XINFO XLEN ZADD ZCARD;run_deferred/MAINTENANCE=APPEND EXISTS EXPIRE GET HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HSTRLEN HVALS LINDEX LLEN LPOS LPUSH LRANGE LREM LTRIM RPOP RPOPLPUSH RPUSH SADD SCARD SET SREM STRLEN TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZMSCORE ZRANGE ZRANGEBYSCORE ZREM ZREMRANGEBYSCORE ZSCORE;run_schedule/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;schedule/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET TIME XADD XINFO XLEN ZADD ZCARD ZREM;schedules/meta=EXISTS HEXISTS HGET HMGET TIME ZRANGE;set_topology/ADMINISTRATOR=EXISTS HEXISTS HGET HMGET HSET TIME XADD XINFO XLEN ZCARD;settings/meta=EXISTS HEXISTS HGET HMGET TIME;show_graph/meta=EXISTS HEXISTS HGET HGETALL HLEN HMGET HSCAN LRANGE TIME ZSCORE;show_schedule/meta=EXISTS HEXISTS HGET HGETALL TIME;signal/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET LPUSH TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD;start/WORKER=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;statistics/meta=EXISTS HEXISTS HGET HGETALL HMGET TIME ZRANGEBYSCORE;submit/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HSTRLEN HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;submit_graph/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET HSTRLEN LLEN RPUSH TIME XINFO ZADD ZCARD ZCOUNT ZSCORE;supply_times/MAINTENANCE=EXISTS HDEL HEXISTS HGET HGETALL HSET TIME XINFO ZADD ZCARD ZREM;suspend/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET LPUSH TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD;tag/CLIENT=EXISTS HDEL HEXISTS HGET HMGET HSET TIME XINFO ZADD ZCARD ZREM;tags/meta=EXISTS HEXISTS HGET TIME ZCARD ZCOUNT ZRANGE ZRANK ZREVRANGE ZSCORE;take_notices/MAINTENANCE=EXISTS HEXISTS HGET HGETALL HMGET HSET TIME XINFO ZADD ZCARD ZRANGEBYSCORE ZREM;targets/meta=EXISTS HEXISTS HGET SMEMBERS TIME ZCARD ZRANGE;tick/MAINTENANCE=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;topology/meta=EXISTS HEXISTS HGET HMGET TIME;track/CLIENT=EXISTS HEXISTS HGET HMGET HSET TIME XADD XINFO XLEN ZADD ZCARD ZRANGE ZREM ZSCORE;tracked/meta=EXISTS HEXISTS HGET HMGET TIME ZCARD ZCOUNT ZRANGE ZRANK ZREVRANGE ZSCORE;undelivered/meta=EXISTS HEXISTS HGET HGETALL TIME ZCARD ZCOUNT ZRANGE ZRANK ZREVRANGE ZSCORE;undepend/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;unhold/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSCAN HSET HSETNX HVALS LINDEX LLEN LPOS LPUSH LREM LTRIM RPOPLPUSH RPUSH SADD SCARD SREM TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREM ZSCORE;unregister/WORKER=EXISTS HDEL HEXISTS HGET HLEN HMGET HSET LLEN SCARD SREM TIME UNLINK XINFO ZCARD ZINCRBY ZREM;unschedule/ADMINISTRATOR=EXISTS EXPIRE HDEL HEXISTS HGET HGETALL HINCRBY HLEN HMGET HSET TIME UNLINK XADD XINFO XLEN ZADD ZCARD ZREM;unsuspend/CLIENT=EXISTS EXPIRE HDEL HEXISTS HGET HLEN HMGET HSET LPUSH TIME UNLINK XADD XINFO XLEN XREVRANGE ZADD ZCARD;untag/CLIENT=EXISTS HDEL HEXISTS HGET HMGET HSET TIME XINFO ZADD ZCARD ZREM;untrack/CLIENT=EXISTS HDEL HEXISTS HGET HMGET HSET TIME XADD XINFO XLEN ZCARD ZREM;why/meta=EXISTS HEXISTS HGET HGETALL HLEN HMGET HSCAN LINDEX LLEN LPOS LRANGE SCARD SSCAN TIME ZCARD ZCOUNT ZRANGE ZRANK ZSCORE;workers/meta=EXISTS HEXISTS HGET HMGET TIME ZSCAN', '([%l_]+)/(%w+)=([%u ]*)') do
    local lacks = {}
    for call in string.gmatch(calls, '%u+') do
      local of = role .. call
      if denied[of] == nil then
        denied[of] = @{rights.denied}({ call }, role) and (@{rights.denied}({ call }, 'meta') or role) or false
      end
      if denied[of] == role then
        others[role] = true
      else
        lacks[#lacks + 1] = denied[of] or nil
      end
    end
    if #lacks > 0 then
      missing[#missing + 1] = name .. ':' .. table.concat(lacks, ',')
    end
  end
  local may = redis.acl_check_cmd
  local known, allowed = pcall(may or tostring, 'PUBLISH', @{namespace.prefix} .. '*', '')
  if may and not (known and allowed) then
    missing[#missing + 1] = 'messages:PUBLISH'
  end
  local roles = {}
  for role in pairs(others) do
    roles[#roles + 1] = role
  end
  if #roles > 0 then
    table.sort(roles)
    missing[#missing + 1] = 'roles:' .. table.concat(roles, ',')
  end
  return table.concat(missing, ' ')
end

=== schedules.name
function @{schedules.name}(value)
  if #value > 100 or not string.find(value, '^[%w._:@-]+$') then
    @{reply.fail}('BADNAME', 'name must be 1 to ' .. 100 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end

=== schedules.recurrence
function @{schedules.recurrence}(value)
  local every, offset = string.match(value, '^every (%d+) ?(%d*)$')
  if every and #every <= 9 and #offset <= 9 and (offset ~= '' or string.sub(value, -1) ~= ' ') then
    every, offset = tonumber(every), tonumber(offset ~= '' and offset or 0)
    if every <= 315360000 and offset < every then
      return string.format('every %d %d', every, offset), every, offset
    end
  end
  if #value <= 256 and string.find(value,
    '^cron [%w/_+-]+ [%w*,/#-]+ [%w*,/#-]+ [%w*,/#-]+ [%w*,/#-]+ [%w*,/#-]+$') then
    return value
  end
  @{reply.fail}('BADARG', 'the recurrence must be ${TICK}every SECONDS OFFSET${TICK} (1 to ' .. 315360000
    .. ' seconds, an offset below that), or ${TICK}cron ZONE${TICK} and five fields, in ' .. 256
    .. ' characters')
end

=== schedules.fire_times
function @{schedules.fire_times}(count)
  local fire_times = {}
  for i = 1, count do
    fire_times[i] = @{args.integer}(@{args.next}('slot'), 0, 100000000000, 'slot')
    if i > 1 and fire_times[i] <= fire_times[i - 1] then
      @{reply.fail}('BADARG', 'each slot must be later than the one before')
    end
  end
  return fire_times
end

=== schedules.definition
function @{schedules.definition}()
  return { 'recurrence', 'queue', 'parameters', 'options', 'overlap', 'missed', 'late', 'start', 'end', 'times' }
end

=== schedules.find
function @{schedules.find}(name)
  local key = @{namespace.declare}(@{namespace.key}('schedule', name))
  local flat, found = redis.call('HGETALL', key), {}
  for i = 1, #flat, 2 do
    found[flat[i]] = flat[i + 1]
  end
  if not found.recurrence then
    return nil
  end
  found.name, found.key = name, key
  return @{schedules.read}(found)
end

=== schedules.read
function @{schedules.read}(schedule)
  schedule.every, schedule.offset = select(2, @{schedules.recurrence}(schedule.recurrence))
  schedule.list = {}
  for fire_time in string.gmatch(schedule.slots or '', '%d+') do
    schedule.list[#schedule.list + 1] = tonumber(fire_time)
  end
  schedule.unfinished = {}
  for id in string.gmatch(schedule.tasks or schedule.last_task or '', '%S+') do
    schedule.unfinished[#schedule.unfinished + 1] = id
  end
  return schedule
end

=== schedules.get
function @{schedules.get}(name)
  local schedule = @{schedules.find}(name)
  if not schedule then
    @{namespace.check_slot}(@{namespace.key}('schedule', name))
    @{reply.fail}('NOSCHEDULE', 'no schedule has this name: it never existed, or was removed')
  end
  return schedule
end

=== schedules.probe
function @{schedules.probe}()
  @{namespace.probe}('ZCARD', @{namespace.prefix} .. 'schedules')
  @{namespace.probe}('ZCARD', @{namespace.prefix} .. 'low_schedules')
end

=== schedules.tail
function @{schedules.tail}(schedule)
  return math.max(schedule.list[#schedule.list] or 0, tonumber(schedule.done))
end

=== schedules.ahead
function @{schedules.ahead}(schedule)
  local ahead, done = {}, tonumber(schedule.done)
  local first, last = tonumber(schedule.start or 0), tonumber(schedule['end'] or math.huge)
  for _, fire_time in ipairs(schedule.list) do
    if fire_time > done and fire_time >= first and fire_time <= last then
      ahead[#ahead + 1] = fire_time
    end
  end
  return ahead
end

=== schedules.from
function @{schedules.from}(schedule, time)
  return math.ceil((time - schedule.offset) / schedule.every) * schedule.every + schedule.offset
end

=== schedules.plan_next
function @{schedules.plan_next}(schedule)
  local done, last = tonumber(schedule.done), tonumber(schedule['end'] or math.huge)
  local tail = @{schedules.tail}(schedule)
  local fire_time
  if schedule.every then
    fire_time = math.max(@{schedules.from}(schedule, tonumber(schedule.start or 0)),
      math.floor((done - schedule.offset) / schedule.every + 1) * schedule.every + schedule.offset)
    fire_time = fire_time <= last and fire_time or nil
  else
    schedule.list = @{schedules.ahead}(schedule)
    schedule.final = schedule.final or tail >= last and '1' or nil
    fire_time = schedule.list[1]
  end
  local over = schedule.times and tonumber(schedule.made) >= tonumber(schedule.times)
    or not fire_time and (schedule.every or schedule.final)
  schedule.ended = over and (schedule.ended or @{namespace.now}) or nil
  schedule.next = not over and not schedule.paused and fire_time and string.format('%.0f', fire_time) or nil
  schedule.held = nil
  schedule.slots = schedule.list[1] and table.concat(schedule.list, ' ') or nil
  schedule.wants_slots_after = not schedule.every and not over and not schedule.paused and not schedule.final
    and #schedule.list < 32 and string.format('%.6f', tail) or nil
end

=== schedules.write
function @{schedules.write}(schedule, ...)
  local set, gone = {}, {}
  for _, field in ipairs({ 'done', 'made', 'skipped', 'passed', 'next', 'held', 'slots', 'final', 'ended', ... }) do
    if schedule[field] then
      set[#set + 1], set[#set + 2] = field, schedule[field]
    else
      gone[#gone + 1] = field
    end
  end
  redis.call('HSET', schedule.key, unpack(set))
  redis.call('HDEL', schedule.key, unpack(gone))
  redis.call('ZADD', @{namespace.prefix} .. 'schedules', schedule.held or schedule.next or '+inf', schedule.name)
  local low = @{namespace.prefix} .. 'low_schedules'
  if schedule.wants_slots_after then
    redis.call('ZADD', low, schedule.wants_slots_after, schedule.name)
  else
    redis.call('ZREM', low, schedule.name)
  end
end

=== schedules.state
function @{schedules.state}(paused, ended, coming)
  return paused and 'paused' or ended and 'ended' or coming and 'active' or 'dry'
end

=== schedules.quoted
function @{schedules.quoted}(value)
  return (string.gsub(value, '[%s%c%%]', function(char)
    return string.format('%%%02X', string.byte(char))
  end))
end

=== schedules.plain
function @{schedules.plain}(text)
  return (string.gsub(text, '%%(%x%x)', function(code)
    return string.char(tonumber(code, 16))
  end))
end

=== schedules.values
function @{schedules.values}(text)
  local values = {}
  for word in string.gmatch(text, '%S+') do
    local name, value = string.match(word, '^([^=]+)=(.*)$')
    if name then
      values[name] = @{schedules.plain}(value)
    end
  end
  return values
end

=== schedules.options
function @{schedules.options}(schedule)
  local options = { schedule = schedule.name }
  for name, value in pairs(@{schedules.values}(schedule.options)) do
    options[name] = @{contract.task_option}(name, value)
  end
  if (schedule.overlap == 'queue' or schedule.overlap == 'cancel') and options.unique_policy ~= 'latest' then
    options.exclusive = 'schedule:' .. schedule.name
  end
  return options
end

=== schedules.exclusive
function @{schedules.exclusive}(schedule, overlap)
  if overlap ~= 'queue' and overlap ~= 'cancel' then
    return nil
  end
  local options = ' ' .. schedule.options
  local latest = string.find(options, ' unique_policy=latest')
  return latest and string.match(options, ' unique=(%S+)') or 'schedule:' .. schedule.name
end

=== schedules.note
function @{schedules.note}(schedule, id)
  local unfinished = schedule.unfinished
  for i, other in ipairs(unfinished) do
    if other == id then
      table.remove(unfinished, i)
      break
    end
  end
  unfinished[#unfinished + 1] = id
  if #unfinished > 64 then
    table.remove(unfinished, 1)
  end
  schedule.last_task, schedule.tasks = id, unfinished[2] and table.concat(unfinished, ' ')
end

=== schedules.beside
function @{schedules.beside}(schedule, task)
  return string.format('STATE its task %s is %s %s: a new one waits until that has finished', task.id, task.status,
    task.queue ~= schedule.queue and 'in another queue' or 'and was made to run beside others')
end

=== schedules.again
function @{schedules.again}(task, name)
  local recurrence, queue, overlap, options, tasks, last = unpack(redis.call('HMGET',
    @{namespace.declare}(@{namespace.key}('schedule', name)),
    'recurrence', 'queue', 'overlap', 'options', 'tasks', 'last_task'))
  if not recurrence then
    return
  end
  local exclusive = @{schedules.exclusive}({ name = name, options = options }, overlap)
  local again = @{namespace.shared}('again')
  again[name] = again[name] or @{schedules.read}({ recurrence = recurrence, tasks = tasks, last_task = last })
  task.again = again[name]
  task.again.key = @{namespace.key}('schedule', name)
  if exclusive and queue == task.queue then
    task.flags = task.flags or ''
    @{holdings.load}(task)
    if not task.fair_key and not task.exclusive then
      task.fair_key, task.exclusive, task.ranked, task.limited = exclusive, '1', true, true
      task.flags = 'rp' .. string.gsub(task.flags, '[rp]', '')
      task.bind = { 'key', exclusive, 'exclusive', '1', 'flags', task.flags }
    end
  end
  task.flags = task.flags ~= '' and task.flags or nil
end

=== schedules.remember
function @{schedules.remember}(task)
  local schedule = task.again
  for _, id in ipairs(schedule.unfinished) do
    if id == task.id then
      return
    end
  end
  if #schedule.unfinished < 64 then
    table.insert(schedule.unfinished, 1, task.id)
    redis.call('HSET', schedule.key, 'tasks', table.concat(schedule.unfinished, ' '))
  end
end

=== schedules.due
function @{schedules.due}(schedule, room)
  local now, first = @{namespace.now_us} / 1000000, tonumber(schedule.next)
  local last = math.min(now, tonumber(schedule['end'] or math.huge))
  local oldest = now - (tonumber(schedule.late) or schedule.missed == 'skip' and 60 or math.huge)
  local all = schedule.missed == 'all' and (schedule.overlap == 'queue' or schedule.overlap == 'allow')
  local fire_times, passed = {}, 0
  if schedule.every then
    local every, final = schedule.every, math.floor((last - schedule.offset) / schedule.every) * schedule.every
      + schedule.offset
    local from = oldest > first and math.min(@{schedules.from}(schedule, oldest), final + every) or first
    if not all and from < final then
      from = final
    end
    passed = (from - first) / every
    for fire_time = from, math.min(final, from + (room - 1) * every), every do
      fire_times[#fire_times + 1] = fire_time
    end
    schedule.done = all and string.format('%.0f', fire_times[#fire_times] or final) or @{namespace.now}
  else
    local known = {}
    for _, fire_time in ipairs(@{schedules.ahead}(schedule)) do
      if fire_time <= last then
        known[#known + 1] = fire_time
      end
    end
    for i, fire_time in ipairs(known) do
      if fire_time < oldest or not all and i < #known then
        passed = passed + 1
      elseif #fire_times < room then
        fire_times[#fire_times + 1] = fire_time
      end
    end
    schedule.done = all and string.format('%.0f', fire_times[#fire_times] or known[#known]) or @{namespace.now}
  end
  return fire_times, passed
end

=== schedules.low
function @{schedules.low}(changed)
  local low, known = {}, {}
  local function add(name, recurrence, tail)
    low[#low + 1], low[#low + 2], low[#low + 3] = name, recurrence, string.format('%.0f', math.floor(tail))
  end
  for _, schedule in ipairs(changed) do
    known[schedule.name] = true
    if schedule.wants_slots_after then
      add(schedule.name, schedule.recurrence, schedule.wants_slots_after)
    end
  end
  local page = redis.call('ZRANGE', @{namespace.prefix} .. 'low_schedules', 0, 99, 'WITHSCORES')
  for i = 1, #page, 2 do
    local recurrence = not known[page[i]] and redis.call('HGET', @{namespace.key}('schedule', page[i]), 'recurrence')
    if recurrence then
      add(page[i], recurrence, page[i + 1])
    end
  end
  return low
end

=== search.states
function @{search.states}(value, what)
  local states = {}
  for status in string.gmatch(value .. ',', '([^,]*),') do
    if #value > 100 or not @{args.among}(status, ' waiting scheduled pending held reserved started complete failed cancelled ') then
      @{reply.fail}('BADARG', what .. ' must be of ' .. @{args.listed}(' waiting scheduled pending held reserved started complete failed cancelled ', 'and') .. ', separated by commas')
    end
    states[status] = true
  end
  return states
end

=== search.step
function @{search.step}(text)
  return @{search.place}(text, '^([%d.e+-]+)/(.*)/([%d.e+-]+)$')
end

=== search.cursor
function @{search.cursor}(text)
  return @{search.place}(text, '^([%d.e+-]+)/(.*)$')
end

=== search.anywhere
function @{search.anywhere}(text)
  local scan, queue, inner = string.match(text, '^%*(%d+)/([^/]*)/(.*)$')
  if not scan then
    return @{search.cursor}(text)
  elseif #text > 1024 or #scan > 20 then
    @{reply.fail}('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return { scan = scan, queue = queue, inner = @{search.cursor}(inner) }
end

=== search.place
function @{search.place}(text, pattern)
  if text == '0' then
    return nil
  end
  local score, name, till = string.match(text, pattern)
  if not score or #text > 1024 or not tonumber(score) or till and not tonumber(till) then
    @{reply.fail}('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return { score = string.format('%.17g', tonumber(score)), name = name, till = till }
end

=== search.rank
function @{search.rank}(index, cursor)
  local score, name = cursor.score, cursor.name
  local found = redis.call('ZSCORE', index, name)
  if found and tonumber(found) == tonumber(score) then
    return redis.call('ZRANK', index, name), 1
  end
  local low, high = redis.call('ZCOUNT', index, '-inf', '(' .. score), redis.call('ZCOUNT', index, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if @{args.before}(redis.call('ZRANGE', index, middle, middle)[1], name) then
      low = middle + 1
    else
      high = middle
    end
  end
  return low, 0
end

=== search.page
function @{search.page}(index, from, limit)
  local cursor, first = from.cursor, from.score
  local rank, here
  if cursor then
    rank, here = @{search.rank}(index, cursor)
  end
  local page
  if from.backwards then
    local start = redis.call('ZCARD', index) - (rank or redis.call('ZCOUNT', index, '-inf', first))
    page = redis.call('ZREVRANGE', index, start, start + limit - 1, 'WITHSCORES')
  else
    local start = rank and rank + here or redis.call('ZCOUNT', index, '-inf', '(' .. first)
    page = redis.call('ZRANGE', index, start, start + limit - 1, 'WITHSCORES')
  end
  return page, #page < 2 * limit and '0' or @{search.after}(page, #page - 1)
end

=== search.after
function @{search.after}(page, i)
  return page[i + 1] .. '/' .. page[i]
end

=== search.chosen
function @{search.chosen}(queue, options)
  if options.from and options.to and options.from > options.to then
    @{reply.fail}('BADARG', 'from must not be after to')
  end
  local chosen = { queue = queue, options = options, low = '-inf', high = '+inf',
    index = @{namespace.key}('tasks', queue) }
  chosen.names, chosen.wanted = @{search.fields}(options)
  if options.group and not options.tag then
    chosen.index, chosen.failures = @{groups.key}(queue, options.group), true
    return chosen
  elseif options.tag then
    chosen.index = @{tags.key}(queue, options.tag)
  end
  chosen.low = options.from and @{namespace.decimal}(options.from) or chosen.low
  chosen.high = options.to and @{namespace.decimal}(options.to) or chosen.high
  return chosen
end

=== search.fields
function @{search.fields}(options)
  local names, wanted = { 'queue', 'status' }, {}
  for _, name in ipairs({ 'method', 'key' }) do
    if options[name] then
      names[#names + 1] = name
      wanted[#names] = options[name]
    end
  end
  if options.tag or options.group then
    for _, name in ipairs({ 'tags', 'created', 'group' }) do
      names[#names + 1] = name
      wanted[name] = #names
    end
  end
  return names, wanted
end

=== search.matches
function @{search.matches}(id, chosen)
  local options, wanted = chosen.options, chosen.wanted
  if options.prefix and string.sub(id, 1, #options.prefix) ~= options.prefix then
    return false
  end
  local v = redis.call('HMGET', @{namespace.prefix} .. 'task_' .. id, unpack(chosen.names))
  if v[1] ~= chosen.queue or not v[2] or options.status and not options.status[v[2]]
    or wanted[3] and v[3] ~= wanted[3] or wanted[4] and v[4] ~= wanted[4] then
    return false
  end
  return not wanted.tags or @{search.is_labelled}(v, chosen)
end

=== search.is_labelled
function @{search.is_labelled}(v, chosen)
  local options, wanted = chosen.options, chosen.wanted
  local labels, group = v[wanted.tags], v[wanted.group]
  if options.tag and not (labels and string.find(',' .. labels .. ',', ',' .. options.tag .. ',', 1, true))
    or options.group and (v[2] ~= 'failed' or (group or '') ~= options.group) then
    return false
  end
  local created = chosen.failures and (tonumber(v[wanted.created]) or 0) * 1000000
  return not (created and (options.from and created < options.from or options.to and created > options.to))
end

=== search.indexes
function @{search.indexes}(states)
  local found = {}
  for status in pairs(states or {}) do
    local before = #found
    if string.find(' held complete failed cancelled ', ' ' .. status .. ' ', 1, true) and status ~= 'pending' then
      found[before + 1], found[before + 2] = 'LRANGE', @{namespace.prefix} .. status .. '_tasks_'
    end
    for name, command, kind in string.gmatch('waiting=ZRANGE:waiting scheduled=ZRANGE:scheduled scheduled=ZRANGE:scheduled_ranked pending=LRANGE:pending pending=ZRANGE:pending_ranked started=SMEMBERS:started ', '(%l+)=(%u+):([%l_]+)') do
      if name == status then
        found[#found + 1], found[#found + 2] = command, @{namespace.prefix} .. kind .. '_tasks_'
      end
    end
    if #found == before then
      return nil
    end
  end
  return found[1] and found
end

=== search.few
function @{search.few}(chosen, cursor)
  local options, queue = chosen.options, chosen.queue
  local indexes = not options.tag and not options.group and @{search.indexes}(options.status)
  if not indexes then
    return nil
  end
  local number = 0
  for i = 1, #indexes, 2 do
    local count = indexes[i] == 'LRANGE' and 'LLEN' or indexes[i] == 'ZRANGE' and 'ZCARD' or 'SCARD'
    number = number + redis.call(count, indexes[i + 1] .. queue)
  end
  if number > 200 or 2 * number > redis.call('ZCARD', chosen.index) then
    return nil
  end
  local score, high = cursor and tonumber(cursor.score), not cursor and tonumber(chosen.high) or math.huge
  local entries, seen = {}, {}
  for i = 1, #indexes, 2 do
    local key = indexes[i + 1] .. queue
    local members = indexes[i] == 'SMEMBERS' and redis.call('SMEMBERS', key) or redis.call(indexes[i], key, 0, -1)
    for _, member in ipairs(members) do
      local id = string.match(member, '(%S*)$')
      local created = not seen[id] and redis.call('HGET', @{namespace.prefix} .. 'task_' .. id, 'created')
      local at = tonumber(created or nil)
      seen[id] = true
      if at and at <= high and (not cursor or at < score or at == score and @{args.before}(id, cursor.name)) then
        entries[#entries + 1] = { id = id, at = at, created = created }
      end
    end
  end
  table.sort(entries, function(one, other)
    return one.at > other.at or one.at == other.at and @{args.before}(other.id, one.id)
  end)
  local page = {}
  for i, entry in ipairs(entries) do
    page[2 * i - 1], page[2 * i] = entry.id, entry.created
  end
  return page
end

=== search.collect
function @{search.collect}(chosen, cursor, limit, looks, answer)
  local page, after = @{search.few}(chosen, cursor), '0'
  if not page then
    page, after = @{search.page}(chosen.index, { backwards = true, cursor = cursor, score = chosen.high }, looks)
  end
  local matches = @{search.matches}
  for i = 1, #page, 2 do
    if chosen.low ~= '-inf' and tonumber(page[i + 1]) < tonumber(chosen.low) then
      return '0', (i + 1) / 2
    end
    if matches(page[i], chosen) then
      answer[#answer + 1] = page[i]
    end
    if #answer > limit and (i < #page - 1 or after ~= '0') then
      return @{search.after}(page, i), (i + 1) / 2
    end
  end
  return after, #page / 2
end

=== search.heads
function @{search.heads}(options)
  local prefix = @{namespace.prefix}
  if options.tag then
    return { prefix .. 'tag_' }, '/' .. options.tag
  elseif options.group then
    local key = @{groups.key}('', options.group)
    return { prefix .. 'group_' }, string.sub(key, #prefix + #'group_' + 1)
  end
  local heads, indexes = {}, @{search.indexes}(options.status)
  for i = 2, indexes and #indexes or 0, 2 do
    heads[#heads + 1] = indexes[i]
  end
  return heads[1] and heads or { prefix .. 'tasks_' }, ''
end

=== search.holding
function @{search.holding}(queues, heads, tail)
  local keys, owners, found = {}, {}, {}
  for _, queue in ipairs(queues) do
    for _, head in ipairs(heads) do
      keys[#keys + 1], owners[#owners + 1] = head .. queue .. tail, queue
    end
  end
  for i = 1, #keys, 50 do
    local last = math.min(i + 49, #keys)
    local number = redis.call('EXISTS', unpack(keys, i, last))
    for j = i, number > 0 and last or 0 do
      if found[#found] ~= owners[j] and (number == last - i + 1 or redis.call('EXISTS', keys[j]) == 1) then
        found[#found + 1] = owners[j]
      end
    end
  end
  table.sort(found, @{args.before})
  return found
end

=== search.everywhere
function @{search.everywhere}(options, cursor, limit)
  local answer, scan, queue, inner = { '0' }, cursor.scan, cursor.queue, cursor.inner
  local looks, left = 200, 500
  local heads, tail = @{search.heads}(options)
  repeat
    local page = redis.call('ZSCAN', @{namespace.prefix} .. 'queues', scan, 'COUNT', 25)
    local names = {}
    for i = 1, #page[2], 2 do
      if queue == page[2][i] or queue == '' or @{args.before}(queue, page[2][i]) then
        names[#names + 1] = page[2][i]
      end
    end
    names = @{search.holding}(names, heads, tail)
    for i, name in ipairs(names) do
      local after, looked = @{search.collect}(@{search.chosen}(name, options), name == queue and inner or nil, limit, looks,
        answer)
      looks = looks - looked - 3
      if after ~= '0' then
        answer[1] = '*' .. scan .. '/' .. name .. '/' .. after
        return answer
      elseif looks <= 0 or #answer > limit then
        if names[i + 1] then
          answer[1] = '*' .. scan .. '/' .. names[i + 1] .. '/0'
        elseif page[1] ~= '0' then
          answer[1] = '*' .. page[1] .. '//0'
        end
        return answer
      end
    end
    left, scan, queue, inner = left - #page[2] / 2, page[1], '', nil
  until scan == '0' or left <= 0
  answer[1] = scan == '0' and '0' or '*' .. scan .. '//0'
  return answer
end

=== server.info
function @{server.info}(section, field)
  local text = redis.pcall('INFO', section)
  if type(text) ~= 'string' then
    return nil
  end
  return string.match(text, '\n' .. field .. ':([^\r\n]*)')
end

=== server.time
function @{server.time}()
  if ARGV[1] ~= '' then
    return @{args.seconds}(ARGV[1], 0, 9007199254, 'now')
  end
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

=== server.require
function @{server.require}()
  local policy = @{server.info}('memory', 'maxmemory_policy')
  if policy and policy ~= 'noeviction' then
    @{reply.fail}('EVICTION', 'maxmemory-policy is ' .. string.gsub(policy, '[^%w-]', '')
      .. ' and would silently remove tasks: set it to noeviction')
  end
  return policy or ''
end

=== settings.rate
function @{settings.rate}(value, what)
  local number, seconds = string.match(value, '^(%d+)/(%d+)$')
  if not number or #number > 4 or #seconds > 6 or tonumber(number) < 1
    or tonumber(number) > 1000 or tonumber(seconds) < 1
    or tonumber(seconds) > 604800 then
    @{reply.fail}('BADARG', string.format('%s must be NUMBER/SECONDS: %d to %d starts in %d to %d seconds', what,
      1, 1000, 1, 604800))
  end
  return value
end

=== settings.find
function @{settings.find}(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end

=== settings.value
function @{settings.value}(own, common, name)
  local pattern = ' ' .. name .. '=(%S+)'
  return own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
    or string.match(' ' .. 'lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', pattern)
end

=== settings.get
function @{settings.get}(queue, name)
  local texts = @{namespace.shared}('settings')
  local known = texts[queue] or redis.call('HMGET', @{namespace.meta}, 'settings:' .. queue, 'settings')
  texts[queue] = known
  if known[name] == nil then
    local value_1_1
    do
      local own, common, name = known[1], known[2], name
      local pattern = ' ' .. name .. '=(%S+)'
      value_1_1 = own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
        or string.match(' ' .. 'lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', pattern)
    end
    local value = value_1_1
    known[name] = value or false
  end
  return known[name] or nil
end

=== settings.micros
function @{settings.micros}(queue, name)
  return @{contract.setting}(name, @{settings.get}(queue, name), name)
end

=== settings.since
function @{settings.since}(queue, name)
  @{settings.get}(queue, name)
  local own, common = unpack(@{namespace.shared}('settings')[queue], 1, 2)
  local since = @{settings.find}(@{settings.find}(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end

=== shared_count.plan
function @{shared_count.plan}()
  @{namespace.probe}('HLEN', @{shared_limits.key}('tasks'))
  @{namespace.probe}('HLEN', @{shared_limits.key}('expires'))
  @{namespace.probe}('ZCARD', @{shared_limits.key}('idle'))
end

=== shared_count.count
function @{shared_count.count}(set, change)
  for _, part in ipairs(@{shared_limits.parts}(set)) do
    @{shared_count.note}(part.name, redis.call('HINCRBY', @{shared_limits.key}('tasks'), part.name, change), change)
  end
end

=== shared_count.note
function @{shared_count.note}(name, number, change)
  if number <= 0 then
    redis.call('HDEL', @{shared_limits.key}('tasks'), name)
    @{shared_count.begin_idle}(name)
  elseif number == change then
    redis.call('ZREM', @{shared_limits.key}('idle'), name)
  end
end

=== shared_count.set
function @{shared_count.set}(name, number)
  redis.call('HSET', @{shared_limits.key}('tasks'), name, number)
  @{shared_count.note}(name, number, number)
end

=== shared_count.begin_idle
function @{shared_count.begin_idle}(name)
  local expires = tonumber(redis.call('HGET', @{shared_limits.key}('expires'), name) or nil)
  if expires then
    redis.call('ZADD', @{shared_limits.key}('idle'), string.format('%.0f', @{namespace.now_us} + expires * 1000000), name)
  end
end

=== shared_count.recount
function @{shared_count.recount}(after, before)
  if after then
    @{shared_count.count}(after, 1)
  end
  if before then
    @{shared_count.count}(before, -1)
  end
end

=== shared_count.count_task
function @{shared_count.count_task}(task, to)
  local open = task.status and not @{contract.is_final}(task.status)
  local opens = not @{contract.is_final}(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    @{shared_count.count}(task.shared, 1)
  elseif open and not opens then
    @{shared_count.count}(task.shared, -1)
  end
end

=== shared_define.plan_remove
function @{shared_define.plan_remove}(name, waits)
  for _, member in ipairs(waits) do
    @{shared_turns.probe}(member)
  end
  @{namespace.probe}('HLEN', @{shared_limits.key}('limits'))
  @{namespace.probe}('HLEN', @{shared_limits.key}('waits'))
  @{namespace.probe}('ZCARD', @{shared_limits.key}('turns', name))
  @{namespace.probe}('LLEN', @{shared_limits.key}('rate', name))
  @{shared_count.plan}()
  @{audit.plan}()
end

=== shared_define.remove
function @{shared_define.remove}(name, waits)
  redis.call('HDEL', @{shared_limits.key}('limits'), name)
  redis.call('HDEL', @{shared_limits.key}('expires'), name)
  redis.call('ZREM', @{shared_limits.key}('idle'), name)
  @{shared_turns.forget}(waits)
  redis.call('UNLINK', @{shared_limits.key}('turns', name), @{shared_limits.key}('rate', name))
end

=== shared_define.plan_expired
function @{shared_define.plan_expired}(corrected)
  local expired = {}
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', @{namespace.declare}(@{shared_limits.key}('idle')), '-inf',
    string.format('%.0f', @{namespace.now_us}), 'LIMIT', 0, 16)) do
    local waits, queue = @{shared_turns.waiting}(name)
    local one = { name = name, waits = waits, before = redis.call('HGET', @{shared_limits.key}('limits'), name) }
    one.used = queue or corrected[name] or redis.call('HGET', @{namespace.declare}(@{shared_limits.key}('places')), name)
      or redis.call('HGET', @{shared_limits.key}('tasks'), name)
    @{shared_define.plan_remove}(name, waits)
    expired[#expired + 1] = one
  end
  return expired
end

=== shared_define.expire
function @{shared_define.expire}(expired)
  for _, one in ipairs(expired) do
    if one.used then
      redis.call('ZREM', @{shared_limits.key}('idle'), one.name)
      @{shared_count.begin_idle}(one.name)
    else
      @{shared_define.remove}(one.name, one.waits)
      @{audit.add}('', 'limit', 'shared', one.name, one.before or '', '- -', 'nobody used it')
    end
  end
end

=== shared_define.define
function @{shared_define.define}(name, places, rate, expires, by)
  if not string.find(name, '^[%w_.-]+$') or #name > 64 then
    @{reply.fail}('BADNAME', 'the name of a shared limit must be 1 to ' .. 64
      .. ' characters of A-Z a-z 0-9 _ . -')
  end
  local own, unset = @{shared_limits.key}('limits'), places == '-' and rate == '-'
  if unset and expires then
    @{reply.fail}('BADARG', 'expires needs a concurrency or a rate: a limit without either is removed at once')
  end
  local before, after = redis.call('HGET', own, name) or '- -', places .. ' ' .. rate
  local kept = redis.call('HGET', @{shared_limits.key}('expires'), name) or nil
  expires = expires and string.format('%d', expires)
  local waits, queue = {}, nil
  if unset then
    waits, queue = @{shared_turns.waiting}(name)
  end
  if unset and (redis.call('HGET', @{namespace.declare}(@{shared_limits.key}('places')), name)) then
    @{reply.fail}('NOTEMPTY', 'attempts have places of this limit: wait until they have ended')
  elseif queue then
    @{reply.fail}('NOTEMPTY', 'tasks of the queue ' .. queue .. ' wait for this limit: edit or cancel them first')
  end
  if not unset and before == '- -' and redis.call('HLEN', own) >= 10000 then
    @{reply.fail}('TOOMANY', 'there are ' .. 10000 .. ' shared limits already')
  end
  if not unset then
    @{shared_turns.plan_wakes}(name, '', 100)
  end
  @{shared_define.plan_remove}(name, waits)
  local idle = not redis.call('HGET', @{shared_limits.key}('tasks'), name)
  @{namespace.begin}(nil, own)
  if unset then
    @{shared_define.remove}(name, waits)
  else
    redis.call('HSET', own, name, after)
    if rate ~= '-' and string.match(before, '(%S+)$') == '-' then
      redis.call('UNLINK', @{shared_limits.key}('rate', name))
    end
    @{shared_define.keep}(name, expires, idle)
    @{shared_turns.wake}(name, '')
  end
  if before ~= after or kept ~= expires then
    @{audit.add}(by, 'limit', 'shared', name, before .. @{shared_define.told}(kept), after .. @{shared_define.told}(expires))
  end
  return 'limited'
end

=== shared_define.keep
function @{shared_define.keep}(name, expires, idle)
  redis.call('ZREM', @{shared_limits.key}('idle'), name)
  if not expires then
    redis.call('HDEL', @{shared_limits.key}('expires'), name)
    return
  end
  redis.call('HSET', @{shared_limits.key}('expires'), name, expires)
  if idle then
    @{shared_count.begin_idle}(name)
  end
end

=== shared_define.told
function @{shared_define.told}(expires)
  return expires and ' expires ' .. expires or ''
end

=== shared_limits.key
function @{shared_limits.key}(kind, name)
  return @{namespace.prefix} .. 'shared_' .. kind .. (name and '_' .. name or '')
end

=== shared_limits.check
function @{shared_limits.check}(value, what)
  local wanted, seen = {}, {}
  for one in string.gmatch(#value <= 600 and value .. ',' or ',', '([^,]*),') do
    local name, places = string.match(one, '^([%w_.-]+)(.*)$')
    local weight = places == '' and 1 or #(places or '') <= 5 and tonumber(string.match(places or '', '^:(%d+)$'))
    if not name or #name > 64 or not weight or weight < 1 or weight > 1000
      or seen[name] then
      @{reply.fail}('BADARG', what .. ' must be names of shared limits, each once, with a colon and 1 to '
        .. 1000 .. ' places or without, separated by commas')
    end
    seen[name] = weight
    wanted[#wanted + 1] = weight > 1 and name .. ':' .. string.format('%d', weight) or name
  end
  if #wanted > 8 then
    @{reply.fail}('BADARG', what .. ' may be ' .. 8 .. ' at most')
  end
  for name, weight in pairs(seen) do
    local own = redis.call('HGET', @{shared_limits.key}('limits'), name)
    local most = own and tonumber(string.match(own, '^%d+'))
    if not own then
      @{reply.fail}('NOLIMIT', 'there is no shared limit ' .. name .. ': set it with limit, then repeat the call')
    elseif most and weight > most then
      @{reply.fail}('NOLIMIT', 'the shared limit ' .. name .. ' has ' .. most .. ' places, fewer than ' .. weight
        .. ': such a task would never run')
    end
  end
  table.sort(wanted, @{args.before})
  return table.concat(wanted, ',')
end

=== shared_limits.of
function @{shared_limits.of}(class)
  return string.match(class, '|(.+)$')
end

=== shared_limits.parts
function @{shared_limits.parts}(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end

=== shared_limits.read
function @{shared_limits.read}(known, parts)
  local names = {}
  for _, part in ipairs(parts) do
    if not known[part.name] then
      known[part.name] = {}
      names[#names + 1] = part.name
    end
  end
  if not names[1] then
    return
  end
  local own = redis.call('HMGET', @{shared_limits.key}('limits'), unpack(names))
  local used = redis.call('HMGET', @{shared_limits.key}('places'), unpack(names))
  for i, name in ipairs(names) do
    local most, rate = string.match(own[i] or '', '^(%S+) (%S+)$')
    known[name] = { missing = not most, most = tonumber(most), rate = rate ~= '-' and rate or nil,
      used = tonumber(used[i] or 0) }
  end
end

=== shared_limits.fits
function @{shared_limits.fits}(known, parts)
  local free
  for _, part in ipairs(parts) do
    local limit = known[part.name]
    if limit.missing or limit.most and limit.used + part.weight > limit.most then
      return false
    end
    local at = @{limits.allowed_at}(@{shared_limits.key}('rate', part.name), limit.rate, 0, 0)
    free = at > @{namespace.now_us} and math.max(free or 0, at) or free
  end
  return not free, free
end

=== shared_limits.hopeless
function @{shared_limits.hopeless}(known, parts)
  for _, part in ipairs(parts) do
    local limit = known[part.name]
    if limit.missing or limit.most and part.weight > limit.most then
      return true
    end
  end
end

=== shared_turns.look
function @{shared_turns.look}(queue, waiting)
  local pool = { queue = queue, known = {}, parts = {}, asked = {}, admitted = {}, asks = {}, offers = {}, gone = {} }
  local members, classes, all = {}, {}, {}
  local of, parse = @{shared_limits.of}, @{shared_limits.parts}
  for i = 1, #waiting, 2 do
    local set = of(waiting[i])
    if set then
      classes[#classes + 1], members[#members + 1] = waiting[i], queue .. ' ' .. waiting[i]
      pool.parts[waiting[i]] = parse(set)
      for _, part in ipairs(pool.parts[waiting[i]]) do
        all[#all + 1] = part
      end
    end
  end
  @{shared_limits.read}(pool.known, all)
  local asked = redis.call('HMGET', @{shared_limits.key}('waits'), unpack(members))
  for i, class in ipairs(classes) do
    pool.asked[class] = asked[i] or nil
  end
  return pool
end

=== shared_turns.is_shut
function @{shared_turns.is_shut}(pool, class)
  local asked = pool.asked[class]
  if asked and string.find(asked, ' ', 1, true) then
    return false
  end
  for _, part in ipairs(pool.parts[class]) do
    local limit = pool.known[part.name]
    if limit.missing
      or limit.most and (part.weight > limit.most or asked and limit.used + part.weight > limit.most) then
      return true
    end
  end
  return false
end

=== shared_turns.is_gone
function @{shared_turns.is_gone}(member, asked)
  local queue, class = string.match(member, '^(%S+) (%S+)$')
  local offered = tonumber(string.match(asked or '', ' (%d+)$'))
  return not asked or offered and offered + 5000000 <= @{namespace.now_us}
    or redis.call('HEXISTS', @{namespace.meta}, 'paused:' .. queue) == 1
    or redis.call('HEXISTS', @{namespace.declare}(@{namespace.key}('needs', queue)), class) == 0, offered
end

=== shared_turns.leaves
function @{shared_turns.leaves}(pool, part, member)
  local limit, now = pool.known[part.name], @{namespace.now_us}
  local places, starts, first, change = 0, 0, true, now + 10000000
  for _, other in ipairs(redis.call('ZRANGE', @{shared_limits.key}('turns', part.name), 0, 16 - 1)) do
    if other == member then
      return true
    end
    local gone, offered = @{shared_turns.is_gone}(other, redis.call('HGET', @{shared_limits.key}('waits'), other))
    if gone or pool.left and pool.left[other] then
      pool.gone[other] = true
    else
      local parts, weight = @{shared_limits.parts}(@{shared_limits.of}(other)), 1
      @{shared_limits.read}(pool.known, parts)
      for _, own in ipairs(parts) do
        weight = own.name == part.name and own.weight or weight
      end
      local fits = @{shared_limits.fits}(pool.known, parts)
        and not (limit.most and limit.used + places + weight > limit.most)
      if fits then
        pool.offers[other] = not offered or nil
        change = math.min(change, (offered or now) + 5000000)
      end
      if first or fits then
        places, starts = places + weight, starts + 1
      end
      first = false
      if limit.most and limit.used + places + part.weight > limit.most
        or @{limits.allowed_at}(@{shared_limits.key}('rate', part.name), limit.rate, 0, starts) > now then
        return false, change, other
      end
    end
  end
  return true
end

=== shared_turns.admits
function @{shared_turns.admits}(pool, class)
  if pool.admitted[class] ~= nil then
    return pool.admitted[class]
  end
  local parts, member = pool.parts[class], pool.queue .. ' ' .. class
  local may, free = @{shared_limits.fits}(pool.known, parts)
  for _, part in ipairs(may and parts or {}) do
    local leaves, change = @{shared_turns.leaves}(pool, part, member)
    may = may and leaves
    free = change and math.min(free or math.huge, change) or free
  end
  if not may and not @{shared_limits.hopeless}(pool.known, parts) then
    local since = string.match(pool.asked[class] or '', '^%d+')
    if not since or pool.asked[class] ~= since then
      pool.asks[member] = since or string.format('%.0f', @{namespace.now_us})
    end
    pool.free = free and math.min(pool.free or math.huge, free) or pool.free
  end
  pool.admitted[class] = may
  return may
end

=== shared_turns.probe
function @{shared_turns.probe}(member)
  for _, part in ipairs(@{shared_limits.parts}(@{shared_limits.of}(member))) do
    @{namespace.probe}('ZCARD', @{shared_limits.key}('turns', part.name))
  end
end

=== shared_turns.plan_write
function @{shared_turns.plan_write}(pool)
  local served = pool.served and pool.asked[pool.served] and pool.queue .. ' ' .. pool.served
  if served then
    pool.gone[served], pool.asks[served] = true, nil
  end
  if not (next(pool.asks) or next(pool.offers) or next(pool.gone)) then
    return
  end
  @{namespace.probe}('HLEN', @{shared_limits.key}('waits'))
  for _, members in ipairs({ pool.asks, pool.gone }) do
    for member in pairs(members) do
      @{shared_turns.probe}(member)
    end
  end
  for member in pairs(pool.offers) do
    @{wakeups.plan}(string.match(member, '^%S+'))
  end
end

=== shared_turns.write
function @{shared_turns.write}(pool)
  for member in pairs(pool.gone) do
    @{shared_turns.forget}({ member })
  end
  for member, since in pairs(pool.asks) do
    redis.call('HSET', @{shared_limits.key}('waits'), member, since)
    for _, part in ipairs(@{shared_limits.parts}(@{shared_limits.of}(member))) do
      redis.call('ZADD', @{shared_limits.key}('turns', part.name), since, member)
    end
  end
  for member in pairs(pool.offers) do
    local since = string.match(redis.call('HGET', @{shared_limits.key}('waits'), member) or '', '^%d+')
    if since then
      redis.call('HSET', @{shared_limits.key}('waits'), member, since .. ' ' .. string.format('%.0f', @{namespace.now_us}))
      do
        local queue = string.match(member, '^%S+')
        local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
        local value_2_1
        do
          local queue, idle, sets = queue, idle[queue], idle['*']
          if idle then
            redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
          end
          if sets then
            do
              local queue = queue
              local ready = @{namespace.prefix} .. 'ready'
              if not @{namespace.declared} or @{namespace.is_here}(ready) then
                redis.pcall('ZADD', ready, '0', queue)
              end
            end
            if sets ~= '' then
              sets = @{wakeups.wake_sets}(sets, queue)
            end
          end
          redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
          value_2_1 = sets
        end
        local sets = value_2_1
        idle[queue], idle['*'] = nil, sets
      end
    end
  end
end

=== shared_turns.plan
function @{shared_turns.plan}(set, queue)
  @{namespace.probe}('HLEN', @{shared_limits.key}('places'))
  @{namespace.probe}('HLEN', @{shared_limits.key}('limits'))
  for _, part in ipairs(@{shared_limits.parts}(set)) do
    if queue then
      @{shared_turns.plan_wakes}(part.name, queue, 4)
    else
      @{namespace.probe}('LLEN', @{shared_limits.key}('rate', part.name))
    end
  end
end

=== shared_turns.plan_wakes
function @{shared_turns.plan_wakes}(name, queue, most)
  local woken, key = @{namespace.shared}('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  local first = redis.call('ZRANGE', @{shared_limits.key}('turns', name), 0, math.max(most, 16) - 1)
  for _, member in ipairs(first) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', @{namespace.meta}, 'paused:' .. other) == 0 then
      seen[other] = true
      @{wakeups.plan}(other)
      table.insert(woken[key], other)
    end
  end
end

=== shared_turns.wake
function @{shared_turns.wake}(name, queue)
  for _, other in ipairs(@{namespace.shared}('woken')[name .. ' ' .. queue] or {}) do
    do
      local queue = other
      local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
      local value_2_1
      do
        local queue, idle, sets = queue, idle[queue], idle['*']
        if idle then
          redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
        end
        if sets then
          do
            local queue = queue
            local ready = @{namespace.prefix} .. 'ready'
            if not @{namespace.declared} or @{namespace.is_here}(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if sets ~= '' then
            sets = @{wakeups.wake_sets}(sets, queue)
          end
        end
        redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
        value_2_1 = sets
      end
      local sets = value_2_1
      idle[queue], idle['*'] = nil, sets
    end
  end
end

=== shared_turns.take
function @{shared_turns.take}(set)
  local now = string.format('%.0f', @{namespace.now_us})
  for _, part in ipairs(@{shared_limits.parts}(set)) do
    redis.call('HINCRBY', @{shared_limits.key}('places'), part.name, part.weight)
    local rate = string.match(redis.call('HGET', @{shared_limits.key}('limits'), part.name) or '', ' (%d+/%d+)$')
    @{limits.record_start}(@{shared_limits.key}('rate', part.name), rate, now)
  end
end

=== shared_turns.release
function @{shared_turns.release}(set, queue)
  for _, part in ipairs(@{shared_limits.parts}(set)) do
    if redis.call('HINCRBY', @{shared_limits.key}('places'), part.name, -part.weight) <= 0 then
      redis.call('HDEL', @{shared_limits.key}('places'), part.name)
    end
    @{shared_turns.wake}(part.name, queue)
  end
end

=== shared_turns.waiting
function @{shared_turns.waiting}(name)
  local waits = redis.call('ZRANGE', @{shared_limits.key}('turns', name), 0, 16 - 1)
  for _, member in ipairs(waits) do
    if not @{shared_turns.is_gone}(member, redis.call('HGET', @{shared_limits.key}('waits'), member)) then
      return waits, string.match(member, '^%S+')
    end
  end
  return waits
end

=== shared_turns.plan_forget
function @{shared_turns.plan_forget}(queue)
  local found, cursor = {}, '0'
  repeat
    local key = @{namespace.declare}(@{shared_limits.key}('waits'))
    local page = redis.call('HSCAN', key, cursor, 'MATCH', queue .. ' *', 'COUNT', 1000)
    cursor = page[1]
    for i = 1, #page[2], 2 do
      found[#found + 1] = page[2][i]
      @{shared_turns.probe}(page[2][i])
    end
  until cursor == '0'
  return found
end

=== shared_turns.forget
function @{shared_turns.forget}(waits)
  redis.call('HDEL', @{shared_limits.key}('waits'), '', unpack(waits))
  for _, member in ipairs(waits) do
    for _, part in ipairs(@{shared_limits.parts}(@{shared_limits.of}(member))) do
      redis.call('ZREM', @{shared_limits.key}('turns', part.name), member)
    end
  end
end

=== shared_turns.facts
function @{shared_turns.facts}(task)
  local class = @{needs.class}(task)
  local pool = @{shared_turns.look}(task.queue, { class, '' })
  local facts = { 'shared', task.shared }
  for _, part in ipairs(pool.parts[class]) do
    local limit = pool.known[part.name]
    local fits, free = @{shared_limits.fits}(pool.known, { part })
    local leaves, _, other = true, nil, nil
    if fits then
      leaves, _, other = @{shared_turns.leaves}(pool, part, task.queue .. ' ' .. class)
    end
    if not (fits and leaves) then
      @{reply.add}(facts, 'limit', part.name, 'limit_weight', part.weight,
        'limit_concurrency', limit.most or '', 'limit_used', limit.missing and '' or limit.used,
        'limit_rate_until', free and @{namespace.decimal}(free) or '',
        'limit_turn', other and string.match(other, '^%S+') or '')
      break
    end
  end
  return facts
end

=== staging.facts
function @{staging.facts}(options)
  local facts = {}
  for _, name in ipairs({ 'name', 'on_failure', 'tags', 'deadline', 'notify', 'digest' }) do
    if options[name] then
      facts[#facts + 1], facts[#facts + 2] = name, options[name]
    end
  end
  if options.bounds then
    facts[#facts + 1], facts[#facts + 2] = 'bounds', options.bounds.text
  end
  return facts
end

=== staging.refuse_other
function @{staging.refuse_other}(how)
  @{reply.fail}('DUPLICATE', how == 'created' and 'another document was submitted with this id: choose another one'
    or 'another document is being submitted with this id, or was left unfinished: choose another id, or repeat the call'
      .. ' in ten minutes')
end

=== staging.spec
function @{staging.spec}(text, known, common, notify)
  local label, rest = string.match(text, '^label=(%S*) ?(.*)$')
  if not label then
    label = string.match(' ' .. text, ' label=(%S*)')
    rest = label and string.gsub(' ' .. text, ' label=%S*', '') or text
  end
  if notify and not string.find(' ' .. rest, ' notify=', 1, true) then
    rest = rest .. ' notify=' .. notify
  end
  local spec = known[rest]
  if not spec then
    local options = @{staging.options}(rest)
    local deadline = common.deadline
    if deadline and not (options.deadline and tonumber(options.deadline) < tonumber(deadline)) then
      options.deadline = deadline
    end
    options.trace = options.trace or common.trace
    options.submitter = options.submitter or common.submitter
    spec = @{creation.spec}(options)
    known[rest] = spec
  end
  if label and (#label > 1024 or string.find(label, '%', 1, true)) then
    label = @{args.bytes}(@{schedules.plain}(label), 1024, 'label')
  end
  return spec, label
end

=== staging.stage
function @{staging.stage}(tasks, graph)
  local now = @{namespace.now}
  local row = { 'queue', '', 'parameters', '', 'created', now, 'updated', now, 'attempt', '0', 'graph', graph }
  for t = 1, #tasks do
    local task = tasks[t]
    local n, fields = 12, task.spec.fields
    row[2], row[4] = task.queue, task.parameters
    for i = 1, #fields do
      row[n + i] = fields[i]
    end
    n = n + #fields + 2
    row[n - 1], row[n] = 'flags', task.flags
    if task.label then
      row[n + 1], row[n + 2], n = 'label', task.label, n + 2
    end
    if task.inputs then
      row[n + 1], row[n + 2], n = 'inputs', task.inputs, n + 2
    end
    if task.eta then
      row[n + 1], row[n + 2], n = 'eta', task.eta, n + 2
    end
    redis.call('HSET', task.key, unpack(row, 1, n))
  end
end

=== staging.check_least
function @{staging.check_least}(text, wanted)
  local known = wanted.least and string.match(text or '', 'least/(%d+)')
  if known and tonumber(known) ~= wanted.least then
    @{reply.fail}('BADARG', 'an earlier call had another least/NUMBER for this task')
  end
end

=== staging.runs_with
function @{staging.runs_with}(runs, tasks)
  if not runs then
    return ''
  end
  local last = runs[#runs] or {}
  for i = 1, #tasks do
    local task = tasks[i]
    local to = task.inputs and 'waiting' or 'pending'
    if task.eta or task.set or task.spec.flags or task.inputs and not task.edges[1] then
      to = '?'
    end
    if last.to == to and last.queue == task.queue then
      last.count = last.count + 1
    else
      last = { to = to, count = 1, queue = task.queue }
      runs[#runs + 1] = last
    end
  end
  local texts = {}
  for i, run in ipairs(runs) do
    texts[i] = run.to .. '/' .. run.count .. '/' .. run.queue
  end
  return #texts <= 100 and table.concat(texts, ' ') or ''
end

=== staging.merged
function @{staging.merged}(text, more, open)
  local padded, all, fresh = ' ' .. (text or '') .. ' ', { text or nil }, {}
  if string.find(padded, ' ' .. more .. ' ', 1, true) then
    return text
  end
  for _, edge in ipairs(open) do
    fresh[edge.up.id] = not edge.known
  end
  for entry in string.gmatch(more, '%S+') do
    if fresh[string.match(entry, '=(.+)$')] or not string.find(padded, ' ' .. entry .. ' ', 1, true) then
      all[#all + 1] = entry
    end
  end
  return table.concat(all, ' ')
end

=== staging.options
function @{staging.options}(text)
  local options = {}
  for name, value in pairs(@{schedules.values}(text)) do
    options[name] = @{contract.task_option}(name, value)
      or @{reply.fail}('BADARG', @{args.named}('unknown option of a task', name) .. ': the contract lists them')
  end
  if options.unique then
    @{reply.fail}('BADARG', 'a task of a graph has no unique name: give the graph an id of your own instead')
  end
  return options
end

=== staging.bounds
function @{staging.bounds}(text, what)
  local bounds = { text = text }
  for entry in string.gmatch(text .. ' ', '([^ ]*) ') do
    local queue, key, places = string.match(entry, '^([^/=]+)/([^/=]+)=(%d+)$')
    if not places or #bounds >= 100 then
      @{reply.fail}('BADARG', what .. ' must be 1 to ' .. 100
        .. ' entries like QUEUE/KEY=PLACES, separated by spaces')
    end
    bounds[#bounds + 1] = { limits = @{namespace.key}('limits', @{args.plain}(queue, what)), key = @{args.plain}(key, what),
      places = @{args.integer}(places, 1, 1000000, what) }
  end
  return bounds
end

=== staging.plan_bounds
function @{staging.plan_bounds}(bounds)
  for _, bound in ipairs(bounds or {}) do
    if @{namespace.probe}('HLEN', bound.limits) >= 100000 then
      @{reply.fail}('TOOMANY', 'a queue has ' .. 100000 .. ' keys with limits of their own already')
    end
  end
end

=== state.probe_list
function @{state.probe_list}(list, task)
  if @{namespace.probe}('LLEN', list) <= 100 or task.from_end then
    return
  end
  local tail = redis.call('LINDEX', list, -1)
  if tail ~= task.id then
    local first = @{record.created}(redis.call('LINDEX', list, 0))
    local last, own = @{record.created}(tail), @{record.created}(task.id)
    task.from_end = own - last < first - own and -1 or 1
  end
end

=== state.plan_left
function @{state.plan_left}(task)
  local queue = task.queue
  if @{namespace.probe}('LLEN', @{namespace.key}('pending_tasks', queue))
    + @{namespace.probe}('ZCARD', @{namespace.key}('pending_ranked_tasks', queue)) > 1 then
    @{wakeups.plan}(queue)
    task.wakes = true
  end
end

=== state.plan
function @{state.plan}(task, to, taker)
  local probe, touch = @{namespace.probe}, @{namespace.declare}
  local from, queue, prefix = task.status, task.queue, @{namespace.prefix}
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.flags then
    @{state.plan_flags}(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.exclusive) then
      @{state.plan_left}(task)
    end
  end
  if from == 'reserved' or from == 'started' then
    probe('ZCARD', prefix .. 'leases_' .. queue)
    local held = touch(prefix .. 'reserved' .. tasks .. '_' .. task.node)
    do
      local task, held, started = task, held, from == 'started' and touch(prefix .. 'started' .. tasks)
      task.last = redis.call('LINDEX', held, '-1') == task.id
      if started then
        redis.call('SCARD', started)
      end
    end
    if task.cancel or task.requeue then
      probe('HLEN', prefix .. 'orders_' .. queue)
    end
    if not taker then
      do
        local task = task
        local queue, prefix = task.queue, @{namespace.prefix}
        if (task.limited or @{settings.get}(queue, 'concurrency'))
          and (redis.call('LLEN', @{namespace.declare}(prefix .. 'pending_tasks_' .. queue)) > 0
          or redis.call('EXISTS', @{namespace.declare}(prefix .. 'pending_ranked_tasks_' .. queue)) == 1) then
          @{wakeups.plan}(queue)
          task.wakes = true
        end
      end
    end
  elseif from == 'scheduled' then
    probe('ZCARD', prefix .. from .. tasks)
    if task.ranked then
      probe('ZCARD', prefix .. 'scheduled_ranked' .. tasks)
    end
  elseif from == 'waiting' then
    probe('ZCARD', prefix .. from .. tasks)
  elseif from and not task.rank and not (from == 'pending' and taker) then
    @{state.probe_list}(prefix .. from .. tasks, task)
  end

  if taker then
    do
      local events, count, index = events, 'LLEN', touch(prefix .. 'reserved' .. tasks .. '_' .. taker)
      redis.call('XLEN', events)
      redis.call(count, index)
    end
    probe('ZCARD', prefix .. 'leases_' .. queue)
  elseif to == 'scheduled' then
    do
      local events, count, index = events, 'ZCARD', touch(prefix .. (task.ranked and 'scheduled_ranked' or to) .. tasks)
      redis.call('XLEN', events)
      redis.call(count, index)
    end
  elseif to == 'waiting' then
    do
      local events, count, index = events, 'ZCARD', touch(prefix .. to .. tasks)
      redis.call('XLEN', events)
      redis.call(count, index)
    end
  elseif to == 'deleted' or to == 'moved' then
    redis.call('XLEN', events)
  else
    do
      local events, count, index = events, 'LLEN', touch(prefix .. to .. tasks)
      redis.call('XLEN', events)
      redis.call(count, index)
    end
    if to == 'pending' then
      @{wakeups.plan}(queue)
      if task.ranked then
        task.last = false
      end
    end
  end
  if task.foreign or to == 'deleted' or to == 'moved' then
    probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  @{state.plan_own}(task, to)
end

=== state.plan_flags
function @{state.plan_flags}(task, to, taker)
  @{holdings.plan}(task, to, taker)
  if task.older then
    @{state.plan}(task.older, 'cancelled')
  end
  for _, plan in ipairs(task.dependents or {}) do
    @{state.plan_follow}(plan)
  end
end

=== state.plan_follow
function @{state.plan_follow}(plan)
  if plan.task and plan.to then
    @{state.plan}(plan.task, plan.to)
  end
end

=== state.plan_own
function @{state.plan_own}(task, to)
  if to == 'deleted' then
    @{namespace.declare}(@{namespace.prefix} .. 'log_' .. task.id)
    task.logged = @{logs.size}(task.id)
  elseif task.status == 'held' then
    task.forget = task.forget or {}
    task.forget[#task.forget + 1] = 'held_by'
  end
  @{history.plan}(task, to)
  if to == 'failed' or task.status == 'failed' then
    @{groups.plan}(task, to)
  end
end

=== state.move
function @{state.move}(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, @{namespace.prefix}
  local tasks = '_tasks_' .. queue
  if task.deadline then
    redis.call('ZADD', prefix .. 'leases_' .. queue, task.deadline, id .. ' ' .. (task.issue or task.token))
  end
  if task.foreign and to ~= 'deleted' and to ~= 'moved' then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or @{record.created}(id), id)
  end

  if to == 'started' then
    redis.call('SADD', prefix .. 'started' .. tasks, task.node .. ' ' .. task.pid .. ' ' .. id)
  end
  if to ~= 'started' or from == 'pending' then
    local old = from and prefix .. from .. tasks
    if from == 'reserved' or from == 'started' then
      old = prefix .. 'reserved' .. tasks .. '_' .. task.node
      if task.token ~= '' then
        redis.call('ZREM', prefix .. 'leases_' .. queue, id .. ' ' .. task.token)
      end
      if from == 'started' then
        redis.call('SREM', prefix .. 'started' .. tasks, task.node .. ' ' .. task.pid .. ' ' .. id)
      end
      if task.cancel or task.requeue then
        redis.call('HDEL', prefix .. 'orders_' .. queue, 't:' .. id)
      end
    end
    local new = prefix .. to .. tasks
    if task.taker then
      new = prefix .. 'reserved' .. tasks .. '_' .. task.taker
    end
    if task.last and to ~= 'scheduled' and to ~= 'waiting' and to ~= 'deleted' and to ~= 'moved' and not task.front then
      redis.call('RPOPLPUSH', old, new)
    else
      if from == 'scheduled' or from == 'waiting' then
        redis.call('ZREM', old, id)
        if task.ranked and from == 'scheduled' then
          redis.call('ZREM', prefix .. 'scheduled_ranked' .. tasks, id)
        end
      elseif task.rank then
        redis.call('ZREM', prefix .. 'pending_ranked' .. tasks, task.rank .. ' ' .. id)
      elseif from then
        redis.call('LREM', task.astray or old, task.from_end or '-1', id)
      end
      if to == 'scheduled' then
        redis.call('ZADD', task.ranked and prefix .. 'scheduled_ranked' .. tasks or new, task.eta, id)
      elseif to == 'waiting' then
        local value_1_1
        do
          local task = task
          local since, now = task.since, @{namespace.now}
          if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
            now = since
          end
          value_1_1 = now
        end
        local at = value_1_1
        redis.call('ZADD', new, at, id)
      elseif to ~= 'deleted' and to ~= 'moved' and not (task.ranked and to == 'pending') then
        redis.call(task.front and 'RPUSH' or 'LPUSH', new, id)
      end
    end
  end

  do
    local task, to, why, by = task, to, why, by
    local id, queue, from, prefix = task.id, task.queue, task.status, @{namespace.prefix}
    local value_2_1
    do
      local task = task
      local since, now = task.since, @{namespace.now}
      if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
        now = since
      end
      value_2_1 = now
    end
    local now = value_2_1
    local key = prefix .. 'task_' .. id
    if from and to ~= 'started' and to ~= 'complete' and to ~= 'deleted'
      and not (from == 'pending' and why == 'reserve') then
      @{history.archive}(task, { to = to, why = why, by = by, at = now }, ...)
    end
    if to == 'deleted' or to == 'moved' then
      if to == 'deleted' then
        redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
        if task.edge_keys then
          redis.call('UNLINK', unpack(task.edge_keys))
        end
        if task.logged then
          @{logs.forget}(id, task.logged)
        end
        if task.unsent ~= nil then
          @{notices.forget}(id, task.unsent)
        end
      end
      redis.call('ZREM', prefix .. 'tasks_' .. queue, id)
    else
      redis.call('HSET', key, 'status', to, 'updated', now, ...)
      local forget = task.forget or (task.cancel or task.requeue) and to ~= 'started' and { 'cancel', 'requeue' }
      if to ~= 'started' and not task.taker and (from == 'started' or from == 'reserved') then
        if forget then
          redis.call('HDEL', key, 'token', 'lease', 'request', unpack(forget))
        else
          redis.call('HDEL', key, 'token', 'lease', 'request')
        end
      elseif forget then
        redis.call('HDEL', key, unpack(forget))
      end
    end
    if task.flags then
      @{holdings.move}(task, to)
      if task.older then
        @{state.replace}(task)
      end
      if task.tracked then
        @{tracking.transition}(task, to, why, by, ...)
      end
      if task.notices then
        @{notices.add}(task, to, why, by, ...)
      end
    end
    if to == 'failed' then
      @{groups.enter}(task, now)
    elseif from == 'failed' then
      @{groups.leave}(task)
    end
    do
      local task, to, why, by, at, trims = task, to, why, by, now,
        not (from == 'started' and by == task.node or from == 'reserved' and to == 'started')
      local from, stream = task.status, @{namespace.prefix} .. 'events_' .. task.queue
      local text, added
      if from then
        local code = why == 'complete' and from == 'started' and to == 'complete' and 'c '
          or why == 'reserve' and (to == 'started' and 't ' or 'r ') or why == 'start' and 's '
          or from .. '>' .. to .. '>' .. why .. ' '
        local since = task.since or ''
        if #since == 17 and #at == 17 and string.sub(since, 1, 8) == string.sub(at, 1, 8) then
          since = string.sub(since, 9)
        elseif not string.find(since, '^[%d.]*$') then
          since = ''
        end
        text = code .. task.id .. ' ' .. task.attempt .. ' ' .. since .. ' ' .. by
        if (from == 'started' or from == 'reserved') and by ~= task.node and to ~= 'started' then
          text = text .. ' ' .. task.node
        end
      else
        text = (to == 'pending' and why == 'submit' and 'p ' or '>' .. to .. '>' .. why .. ' ') .. task.id
        if (task.attempt or '0') ~= '0' then
          text = text .. ' ' .. task.attempt
        end
      end
      @{event_entries.id} = @{event_entries.id} or string.sub(@{namespace.now}, 1, -8) .. string.sub(@{namespace.now}, -6) .. '-*'
      if at ~= @{namespace.now} then
        added = { err = 'the time is not the time of the call' }
      elseif trims then
        added = redis.pcall('XADD', stream, 'MAXLEN', '~', '100000', @{event_entries.id}, 'e', text)
      else
        added = redis.pcall('XADD', stream, @{event_entries.id}, 'e', text)
      end
      if added.err then
        redis.call('XADD', stream, 'MAXLEN', '~', '100000', '*', 'e', text, 'at', at)
      end
    end
    if task.wakes then
      do
        local queue = queue
        local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
        local value_3_1
        do
          local queue, idle, sets = queue, idle[queue], idle['*']
          if idle then
            redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
          end
          if sets then
            do
              local queue = queue
              local ready = @{namespace.prefix} .. 'ready'
              if not @{namespace.declared} or @{namespace.is_here}(ready) then
                redis.pcall('ZADD', ready, '0', queue)
              end
            end
            if sets ~= '' then
              sets = @{wakeups.wake_sets}(sets, queue)
            end
          end
          redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
          value_3_1 = sets
        end
        local sets = value_3_1
        idle[queue], idle['*'] = nil, sets
      end
    end
    if task.dependents or task.deferred then
      @{state.propagate}(task)
    end
  end
end

=== state.record
function @{state.record}(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, @{namespace.prefix}
  local value_1_1
  do
    local task = task
    local since, now = task.since, @{namespace.now}
    if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
      now = since
    end
    value_1_1 = now
  end
  local now = value_1_1
  local key = prefix .. 'task_' .. id
  if from and to ~= 'started' and to ~= 'complete' and to ~= 'deleted'
    and not (from == 'pending' and why == 'reserve') then
    @{history.archive}(task, { to = to, why = why, by = by, at = now }, ...)
  end
  if to == 'deleted' or to == 'moved' then
    if to == 'deleted' then
      redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
      if task.edge_keys then
        redis.call('UNLINK', unpack(task.edge_keys))
      end
      if task.logged then
        @{logs.forget}(id, task.logged)
      end
      if task.unsent ~= nil then
        @{notices.forget}(id, task.unsent)
      end
    end
    redis.call('ZREM', prefix .. 'tasks_' .. queue, id)
  else
    redis.call('HSET', key, 'status', to, 'updated', now, ...)
    local forget = task.forget or (task.cancel or task.requeue) and to ~= 'started' and { 'cancel', 'requeue' }
    if to ~= 'started' and not task.taker and (from == 'started' or from == 'reserved') then
      if forget then
        redis.call('HDEL', key, 'token', 'lease', 'request', unpack(forget))
      else
        redis.call('HDEL', key, 'token', 'lease', 'request')
      end
    elseif forget then
      redis.call('HDEL', key, unpack(forget))
    end
  end
  if task.flags then
    @{holdings.move}(task, to)
    if task.older then
      @{state.replace}(task)
    end
    if task.tracked then
      @{tracking.transition}(task, to, why, by, ...)
    end
    if task.notices then
      @{notices.add}(task, to, why, by, ...)
    end
  end
  if to == 'failed' then
    @{groups.enter}(task, now)
  elseif from == 'failed' then
    @{groups.leave}(task)
  end
  do
    local task, to, why, by, at, trims = task, to, why, by, now,
      not (from == 'started' and by == task.node or from == 'reserved' and to == 'started')
    local from, stream = task.status, @{namespace.prefix} .. 'events_' .. task.queue
    local text, added
    if from then
      local code = why == 'complete' and from == 'started' and to == 'complete' and 'c '
        or why == 'reserve' and (to == 'started' and 't ' or 'r ') or why == 'start' and 's '
        or from .. '>' .. to .. '>' .. why .. ' '
      local since = task.since or ''
      if #since == 17 and #at == 17 and string.sub(since, 1, 8) == string.sub(at, 1, 8) then
        since = string.sub(since, 9)
      elseif not string.find(since, '^[%d.]*$') then
        since = ''
      end
      text = code .. task.id .. ' ' .. task.attempt .. ' ' .. since .. ' ' .. by
      if (from == 'started' or from == 'reserved') and by ~= task.node and to ~= 'started' then
        text = text .. ' ' .. task.node
      end
    else
      text = (to == 'pending' and why == 'submit' and 'p ' or '>' .. to .. '>' .. why .. ' ') .. task.id
      if (task.attempt or '0') ~= '0' then
        text = text .. ' ' .. task.attempt
      end
    end
    @{event_entries.id} = @{event_entries.id} or string.sub(@{namespace.now}, 1, -8) .. string.sub(@{namespace.now}, -6) .. '-*'
    if at ~= @{namespace.now} then
      added = { err = 'the time is not the time of the call' }
    elseif trims then
      added = redis.pcall('XADD', stream, 'MAXLEN', '~', '100000', @{event_entries.id}, 'e', text)
    else
      added = redis.pcall('XADD', stream, @{event_entries.id}, 'e', text)
    end
    if added.err then
      redis.call('XADD', stream, 'MAXLEN', '~', '100000', '*', 'e', text, 'at', at)
    end
  end
  if task.wakes then
    do
      local queue = queue
      local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
      local value_2_1
      do
        local queue, idle, sets = queue, idle[queue], idle['*']
        if idle then
          redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
        end
        if sets then
          do
            local queue = queue
            local ready = @{namespace.prefix} .. 'ready'
            if not @{namespace.declared} or @{namespace.is_here}(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if sets ~= '' then
            sets = @{wakeups.wake_sets}(sets, queue)
          end
        end
        redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
        value_2_1 = sets
      end
      local sets = value_2_1
      idle[queue], idle['*'] = nil, sets
    end
  end
  if task.dependents or task.deferred then
    @{state.propagate}(task)
  end
end

=== state.replace
function @{state.replace}(task)
  @{state.move}(task.older, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. task.id)
end

=== state.propagate
function @{state.propagate}(task)
  @{edge_end.propagate}(task)
  for _, plan in ipairs(task.dependents or {}) do
    @{state.follow}(plan)
    task.readied = task.readied or plan.to == 'pending'
  end
end

=== state.follow
function @{state.follow}(plan)
  if plan.why then
    @{state.move}(plan.task, plan.to, plan.why, '', unpack(plan.fields))
    if plan.to == 'pending' then
      do
        local queue = plan.task.queue
        local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
        local value_2_1
        do
          local queue, idle, sets = queue, idle[queue], idle['*']
          if idle then
            redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
          end
          if sets then
            do
              local queue = queue
              local ready = @{namespace.prefix} .. 'ready'
              if not @{namespace.declared} or @{namespace.is_here}(ready) then
                redis.pcall('ZADD', ready, '0', queue)
              end
            end
            if sets ~= '' then
              sets = @{wakeups.wake_sets}(sets, queue)
            end
          end
          redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
          value_2_1 = sets
        end
        local sets = value_2_1
        idle[queue], idle['*'] = nil, sets
      end
    end
  end
end

=== statistics.counts
function @{statistics.counts}()
  return { 'submitted', 'started', 'complete', 'failed', 'cancelled', 'failures', 'retries', 'losses',
    'releases', 'missed' }
end

=== statistics.measures
function @{statistics.measures}()
  return { 'wait', 'run', 'done' }
end

=== statistics.bounds
function @{statistics.bounds}()
  return { 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800, 57600,
    86400, 172800, 345600, 604800, 1209600, 2419200 }
end

=== statistics.fields
function @{statistics.fields}(measure)
  local names = { 'count', 'sum', 'squares', 'least', 'most', unpack(@{statistics.bounds}()) }
  names[#names + 1] = 'over'
  for i, name in ipairs(names) do
    names[i] = measure .. '.' .. name
  end
  return names
end

=== statistics.names
function @{statistics.names}()
  local names = @{statistics.counts}()
  for _, measure in ipairs(@{statistics.measures}()) do
    @{reply.add}(names, unpack(@{statistics.fields}(measure)))
  end
  return names
end

=== statistics.hosts_key
function @{statistics.hosts_key}(queue, date)
  return @{namespace.key}('hosts', queue .. '/' .. date)
end

=== statistics.kind
function @{statistics.kind}(name)
  return string.match(name, '%.(%a+)$') or 'count'
end

=== statistics.join
function @{statistics.join}(kind, held, added)
  if not held then
    return added
  elseif kind == 'least' then
    return math.min(held, added)
  elseif kind == 'most' then
    return math.max(held, added)
  end
  return held + added
end

=== statistics.text
function @{statistics.text}(kind, value)
  if kind == 'sum' or kind == 'least' or kind == 'most' then
    return string.format('%.6f', value)
  elseif kind == 'squares' then
    return string.format('%.17g', value)
  end
  return string.format('%.0f', value)
end

=== statistics.key
function @{statistics.key}(queue, date)
  return @{namespace.key}('statistics', queue .. '/' .. date)
end

=== steps.check
function @{steps.check}(value, what)
  local number = 0
  for name in string.gmatch(value .. ',', '([^,]*),') do
    number = number + 1
    if number > 100 then
      @{reply.fail}('BADARG', what .. ' must be at most ' .. 100 .. ' queues')
    end
    @{args.plain}(name, what)
  end
  return value
end

=== steps.asked
function @{steps.asked}(options)
  local asked = { next = options.next, parameters = options.parameters, eta = options.eta, unset = options.unset }
  if asked.parameters then
    @{args.bytes}(asked.parameters, options.max_bytes or 1048576, 'parameters')
  end
  for _, name in ipairs({ 'max_bytes', 'cost', 'next', 'parameters', 'eta', 'unset' }) do
    options[name] = nil
  end
  asked.given = next(options) and options or asked.unset and {}
  asked.compare = asked.given and @{steps.compare}
  if asked.next == '' and (asked.parameters or asked.eta or asked.given) then
    @{reply.fail}('BADARG', 'with an empty next there is no next step that could have parameters, an eta or options')
  elseif asked.unset and asked.unset.eta and asked.eta then
    @{reply.fail}('BADARG', 'unset names an option that is given, too')
  end
  return next(asked) and asked
end

=== steps.compare
function @{steps.compare}(task, asked, rest)
  local given, unset = asked.given, asked.unset or {}
  task.key = task.key or @{namespace.key}('task', task.id)
  @{edits.read}(task)
  if unset.steps and given.steps then
    @{reply.fail}('BADARG', 'unset names an option that is given, too')
  end
  rest = given.steps or not unset.steps and rest or ''
  given.steps, unset.steps, task.had.steps = nil, nil, nil
  @{edits.compare}(task, @{creation.spec}(@{edits.options}(task, given, unset)), {})
  if task.edit and task.edit.changed.deadline and task.edit.fresh.end_by then
    @{deadlines.require_ahead}(task.edit.fresh.end_by)
  end
  return rest
end

=== steps.other
function @{steps.other}(task, queue, created)
  local other = @{holdings.elsewhere}(task, queue, created)
  other.unknown = not redis.call('ZSCORE', @{namespace.declare}(@{namespace.prefix} .. 'queues'), queue)
  return other
end

=== steps.plan
function @{steps.plan}(task, other, to)
  @{state.plan}(task, 'moved')
  @{state.plan}(other, to)
  if other.queue == task.queue then
    @{namespace.require_settled_slot}()
  end
end

=== steps.move
function @{steps.move}(task, other, to, why, came, fields)
  @{state.move}(task, 'moved', why, task.node, unpack(fields))
  @{state.move}(other, to, came, '', 'queue', other.queue, 'attempt', other.attempt, 'ended', task.token, unpack(fields))
  if other.unknown then
    redis.call('ZADD', @{namespace.prefix} .. 'queues', 0, other.queue)
  end
  if to == 'pending' then
    task.readied = true
    do
      local queue = other.queue
      local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
      local value_2_1
      do
        local queue, idle, sets = queue, idle[queue], idle['*']
        if idle then
          redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
        end
        if sets then
          do
            local queue = queue
            local ready = @{namespace.prefix} .. 'ready'
            if not @{namespace.declared} or @{namespace.is_here}(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if sets ~= '' then
            sets = @{wakeups.wake_sets}(sets, queue)
          end
        end
        redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
        value_2_1 = sets
      end
      local sets = value_2_1
      idle[queue], idle['*'] = nil, sets
    end
  end
end

=== steps.forgotten
function @{steps.forgotten}(...)
  local names = { 'token', 'lease', 'request', 'front', 'promoted', 'readied', @{record.attempt_fields}() }
  @{reply.add}(names, ...)
  return names
end

=== steps.plan_plain
function @{steps.plan_plain}(task, other, to)
  local prefix, waits = @{namespace.prefix}, '_tasks_' .. other.queue
  local may, role = redis.acl_check_cmd, prefix .. 'WORKER'
  local tasks, history_key = '_tasks_' .. task.queue, @{namespace.prefix} .. 'history_' .. task.id
  local held = prefix .. 'reserved' .. tasks .. '_' .. task.node
  local started = task.status == 'started' and prefix .. 'started' .. tasks
  do
    local task, held, started = task, held, started
    task.last = redis.call('LINDEX', held, '-1') == task.id
    if started then
      redis.call('SCARD', started)
    end
  end
  redis.call('XLEN', prefix .. 'events_' .. task.queue)
  redis.call('XLEN', history_key)
  redis.call('ZCARD', prefix .. 'tasks_' .. task.queue)
  redis.call('ZCARD', prefix .. 'tasks_' .. other.queue)
  do
    local events, count, index = prefix .. 'events_' .. other.queue, to == 'pending' and 'LLEN' or 'ZCARD', prefix .. to .. waits
    redis.call('XLEN', events)
    redis.call(count, index)
  end
  if to == 'pending' then
    @{wakeups.plan}(other.queue)
  end
  if may and not (may('HSET', role, '', '') and may('HDEL', @{namespace.meta}, '') and may('XADD', history_key,
    '*', '', '') and may('UNLINK', history_key) and may('SREM', prefix .. 'started' .. tasks, '')
    and may('LREM', held, '', '') and may('ZREM', prefix .. 'tasks_' .. task.queue, '')
    and may('ZADD', prefix .. 'tasks_' .. other.queue, '1', '')
    and may('LPUSH', prefix .. 'wake_' .. other.queue, '')) then
    @{rights.require}()
  end
end

=== steps.go_on
function @{steps.go_on}(task, result, cost, limited, asked)
  local v = redis.call('HMGET', @{namespace.key}('task', task.id), 'steps', 'step', 'created')
  local first, rest = string.match(v[1] or '', '^([^,]+),?(.*)$')
  local queue = asked and asked.next or first or ''
  if queue == '' then
    if asked and not asked.next then
      @{reply.fail}('BADARG', 'the task has no next step that could have parameters, an eta or options: name its queue'
        .. ' with next')
    end
    task.skips = first and 'steps'
    return nil
  elseif task.cancel then
    task.cost = cost
    return @{fence.finish}(task, 'cancelled', 'cancelled', 'complete')
  end
  if task.flags == 's' then
    task.flags = nil
  end
  asked, rest = asked or {}, rest or ''
  if asked.compare then
    rest = asked.compare(task, asked, rest)
  end
  local other = @{steps.next}(task, queue, v[3], rest, asked.eta)
  local fields = { 'outcome', 'complete', 'step', (v[2] or 0) + 1 }
  @{steps.tell}(other, fields, rest, task.edit)
  local parameters = asked.parameters or result ~= '' and result ~= 'null' and result
  if parameters then
    @{reply.add}(fields, 'parameters', parameters)
    other.forget[#other.forget + 1] = 'slots'
  end
  if cost then
    @{reply.add}(fields, 'cost', cost, 'cost_of', task.token)
  end
  local to = other.eta and 'scheduled' or 'pending'
  local undated = task.edit and task.edit.changed.deadline and not other.end_by
  if undated then
    @{namespace.probe}('ZCARD', @{holdings.deadlines}())
  end
  if not (task.flags or task.requeue or limited or @{namespace.declared} or task.edit) then
    @{steps.plan_plain}(task, other, to)
  else
    @{steps.plan}(task, other, to)
    @{namespace.begin}()
  end
  @{steps.move}(task, other, to, 'next', 'next', fields)
  if undated then
    redis.call('ZREM', @{holdings.deadlines}(), task.id)
  end
  return 'complete'
end

=== steps.next
function @{steps.next}(task, queue, created, rest, eta)
  local other = @{steps.other}(task, queue, created)
  if task.edit then
    @{edits.alter}(task, other)
  end
  local flags = string.gsub(other.flags or '', '[sc]', '') .. (rest ~= '' and 's' or '')
  if other.unique and @{holdings.name_conflict}(other) then
    other.unique, other.nameless, flags = nil, true, string.gsub(flags, 'u', '')
  end
  other.flags, other.ranked = flags ~= '' and flags or nil, string.find(flags, 'r', 1, true) and true
  if other.flags and not other.bound then
    do
      local task = other
      task.bound = true
      task.ranked = string.find(task.flags, 'r', 1, true) and true
      task.limited = string.find(task.flags, 'p', 1, true) and true
      task.tracked = string.find(task.flags, 'o', 1, true)
    end
  end
  other.eta = eta and eta > @{namespace.now_us} and @{namespace.decimal}(eta) or nil
  return other
end

=== steps.tell
function @{steps.tell}(other, fields, rest, edit)
  local told = { steps = rest, flags = other.flags or '', eta = other.eta or '' }
  other.forget = @{steps.forgotten}('failures', 'losses', 'releases', 'uncounted', 'stalled_losses', 'last_error',
    'last_group', 'checkpoint', 'checkpointed', 'retry_eta')
  if other.nameless then
    told.unique, told.unique_until = '', ''
  end
  for i = 1, edit and #edit.set or 0, 2 do
    told[edit.set[i]] = told[edit.set[i]] or edit.set[i + 1]
  end
  for _, name in ipairs(edit and edit.forget or {}) do
    told[name] = told[name] or ''
  end
  for name, value in pairs(told) do
    if value == '' then
      other.forget[#other.forget + 1] = name
    else
      @{reply.add}(fields, name, value)
    end
  end
end

=== steps.give_back
function @{steps.give_back}(task, options, why, counter, count)
  local other = @{steps.other}(task, options.into, redis.call('HGET', @{namespace.key}('task', task.id), 'created'))
  if @{settings.get}(other.queue, 'closed') == '1' then
    @{reply.fail}('CLOSED', 'the other queue is closed: open it with ${TICK}blueque drain QUEUE --off${TICK}, or set closed to 0')
  elseif other.unique and @{holdings.name_conflict}(other) then
    @{reply.fail}('DUPLICATE', 'another task of the other queue has this unique name')
  elseif @{needs.class}(other) then
    @{creation.require_few_needs}(other.queue, @{needs.class}(other))
  end
  local to = options.again and options.again > 0 and @{retries.plan}(other, options.again) or 'pending'
  local fields = { 'outcome', 'released', counter, count }
  if task.cost then
    @{reply.add}(fields, 'cost', task.cost, 'cost_of', task.token)
  end
  if to == 'scheduled' then
    @{reply.add}(fields, 'eta', other.eta, other.own_eta and 'retry_eta' or nil, '1')
  end
  other.forget = @{steps.forgotten}()
  @{steps.plan}(task, other, to)
  @{namespace.begin}()
  @{steps.move}(task, other, to, why, 'move', fields)
  return 'released'
end

=== streams.page
function @{streams.page}(key, after, limit, is_wanted, values, read)
  local answer = { after, 0 }
  if after ~= '0' and #redis.call('XRANGE', key, after, after) == 0 then
    answer[2] = 1
  end
  for _, entry in ipairs(redis.call('XRANGE', key, '(' .. after, '+', 'COUNT', limit)) do
    local v = entry[2]
    if read then
      v = read(entry)
    end
    answer[1] = entry[1]
    if v and is_wanted(v) then
      answer[#answer + 1] = entry[1]
      for i = 2, 2 * (values or 8), 2 do
        answer[#answer + 1] = v[i] or ''
      end
    end
  end
  return answer
end

=== tags.key
function @{tags.key}(queue, tag)
  return @{namespace.prefix} .. 'tag_' .. queue .. '/' .. tag
end

=== tags.names
function @{tags.names}(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end

=== tags.plan
function @{tags.plan}(queue, text)
  @{namespace.probe}('ZCARD', @{namespace.key}('tags', queue))
  for _, tag in ipairs(@{tags.names}(text)) do
    @{namespace.probe}('ZCARD', @{tags.key}(queue, tag))
  end
end

=== tags.enter
function @{tags.enter}(queue, id, created, text)
  for _, tag in ipairs(@{tags.names}(text)) do
    local key = @{tags.key}(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', @{namespace.key}('tags', queue), redis.call('ZCARD', key), tag)
  end
end

=== tags.remove
function @{tags.remove}(key, counts, name, id)
  local left = redis.call('ZCARD', key)
  left = left - redis.call('ZREM', key, id)
  if left > 0 then
    redis.call('ZADD', counts, left, name)
  else
    redis.call('ZREM', counts, name)
  end
end

=== tags.leave
function @{tags.leave}(queue, id, text)
  for _, tag in ipairs(@{tags.names}(text)) do
    @{tags.remove}(@{tags.key}(queue, tag), @{namespace.key}('tags', queue), tag, id)
  end
end

=== tags.asked
function @{tags.asked}(count)
  local names = {}
  for i = 1, count do
    names[i] = @{args.plain}(@{args.next}('tag'), 'tag')
  end
  @{args.none}()
  return names
end

=== tags.read
function @{tags.read}(id)
  local task, set = @{record.get}(id, 'tags', 'created'), {}
  task.created = task.extra[2] or '0'
  for _, tag in ipairs(@{tags.names}(task.extra[1])) do
    set[tag] = true
  end
  return task, set
end

=== tags.without
function @{tags.without}(text, other)
  local names, others = {}, ',' .. (other or '') .. ','
  for tag in string.gmatch(text or '', '[^,]+') do
    if not string.find(others, ',' .. tag .. ',', 1, true) then
      names[#names + 1] = tag
    end
  end
  return table.concat(names, ',')
end

=== tags.plan_swap
function @{tags.plan_swap}(task, had, wanted)
  task.tags_gone, task.tags_come = @{tags.without}(had, wanted), @{tags.without}(wanted, had)
  task.created = task.created or @{record.created}(task.id)
  @{tags.plan}(task.queue, task.tags_gone)
  @{tags.plan}(task.queue, task.tags_come)
end

=== tags.swap
function @{tags.swap}(task)
  @{tags.leave}(task.queue, task.id, task.tags_gone)
  @{tags.enter}(task.queue, task.id, task.created, task.tags_come)
end

=== tags.change
function @{tags.change}(task, wanted)
  local names = {}
  for tag in pairs(wanted) do
    names[#names + 1] = tag
  end
  table.sort(names, @{args.before})
  @{tags.plan_swap}(task, task.extra[1], table.concat(names, ','))
  if task.tags_gone .. task.tags_come == '' then
    return names
  end
  @{namespace.begin}()
  @{tags.swap}(task)
  local flags = string.gsub(task.flags or '', 't', '')
  if #names > 0 then
    redis.call('HSET', task.key, 'tags', table.concat(names, ','), 'flags', flags .. 't')
  elseif flags ~= '' then
    redis.call('HDEL', task.key, 'tags')
    redis.call('HSET', task.key, 'flags', flags)
  else
    redis.call('HDEL', task.key, 'tags', 'flags')
  end
  return names
end

=== ticking.guarded
function @{ticking.guarded}(schedule, read, ...)
  local ok, one, other = pcall(read, ...)
  if ok then
    return true, one, other
  end
  local text = type(one) == 'table' and one.err or tostring(one)
  if string.find(text, 'non local key') then
    error(one, 0)
  end
  text = string.gsub(text, '^%-', '')
  text = string.gsub(text, '^WRONGTYPE .*', 'WRONGKEY a key of its queue holds a value of another type')
  schedule.error = @{namespace.now} .. ' ' .. string.sub(text, 1, 200)
  return false
end

=== ticking.foreign
function @{ticking.foreign}(schedule, queue)
  if queue ~= schedule.queue then
    @{reply.fail}('OTHERQUEUE', 'the id of this slot is a task that the schedule did not create')
  end
  @{reply.fail}('STATE', 'the id of this slot is a task that the schedule did not create')
end

=== ticking.try
function @{ticking.try}(step, schedule, fire_time, old)
  local id = schedule.name .. '@' .. fire_time
  local queue, maker, of = unpack(redis.call('HMGET', @{namespace.declare}(@{namespace.key}('task', id)),
    'queue', 'schedule', 'slot'))
  if queue and maker == schedule.name and of == fire_time then
    @{schedules.note}(schedule, id)
    return 'made'
  elseif queue then
    @{ticking.guarded}(schedule, @{ticking.foreign}, schedule, queue)
    return 'skip'
  end
  local one = { schedule = schedule, id = id, fire_time = fire_time, old = old }
  local ok, plan = @{ticking.guarded}(schedule, @{firing.plan}, one, step.taken)
  if ok then
    return plan and (plan.task and 'plan' or 'skip') or 'wait', plan
  end
  return 'skip'
end

=== ticking.hold
function @{ticking.hold}(step, schedule, old)
  @{schedules.plan_next}(schedule)
  schedule.held = string.format('%.0f', math.floor(step.now) + 1)
  step.changed[#step.changed + 1] = schedule
  if schedule.overlap == 'cancel' and old and not step.taken[old.id] then
    step.taken[old.id], old.planned, old.reason = true, {}, 'a later slot of the schedule ' .. schedule.name
    if @{ticking.guarded}(schedule, @{cancelling.plan}, old, old) and old.to then
      step.stops[#step.stops + 1] = old
    end
  end
end

=== ticking.plan_times
function @{ticking.plan_times}(step, schedule, fire_times, old)
  local made, skipped = 0, 0
  for i, fire_time in ipairs(fire_times) do
    fire_time = string.format('%.0f', fire_time)
    local what, plan = 'skip', nil
    if not old or schedule.overlap == 'cancel' then
      what, plan = @{ticking.try}(step, schedule, fire_time, old)
    end
    if what == 'wait' then
      schedule.done = fire_times[i - 1] and string.format('%.0f', fire_times[i - 1])
      return made, skipped, i
    elseif what == 'plan' then
      made, schedule.plans[#schedule.plans + 1] = made + 1, plan
      @{schedules.note}(schedule, plan.id)
      schedule.last_slot, schedule.last_at, schedule.error = fire_time, @{namespace.now}, nil
      if schedule.made + made == tonumber(schedule.times) then
        break
      end
    elseif what == 'skip' then
      skipped = skipped + 1
    end
  end
  return made, skipped
end

=== ticking.due
function @{ticking.due}(step, schedule, old)
  local fire_times, passed = @{schedules.due}(schedule, math.min(step.room, 100))
  schedule.plans = {}
  local made, skipped, waits = @{ticking.plan_times}(step, schedule, fire_times, old)
  if waits == 1 then
    return nil
  end
  schedule.made, schedule.skipped = string.format('%.0f', schedule.made + made),
    string.format('%.0f', schedule.skipped + skipped)
  schedule.passed = string.format('%.0f', schedule.passed + passed)
  @{schedules.plan_next}(schedule)
  step.changed[#step.changed + 1] = schedule
  return made
end

=== ticking.plan
function @{ticking.plan}(step, name)
  local schedule = @{schedules.find}(name)
  if not schedule then
    step.strays[#step.strays + 1] = name
    return
  elseif not schedule.next or tonumber(schedule.next) > step.now then
    @{schedules.plan_next}(schedule)
    step.changed[#step.changed + 1] = schedule
    return
  end
  step.bytes = step.bytes + #schedule.parameters
  local ok, old, beside = @{ticking.guarded}(schedule, @{firing.live}, schedule, schedule.overlap)
  if beside then
    schedule.error = @{namespace.now} .. ' ' .. @{schedules.beside}(schedule, beside)
  end
  if beside or not ok then
    @{ticking.hold}(step, schedule, old)
    step.room = step.room - 1
    return
  end
  local made = @{ticking.due}(step, schedule, (schedule.overlap == 'skip' or schedule.overlap == 'cancel') and old or nil)
  step.number = step.number + (made or 0)
  step.room = step.room - (made and math.max(1, made) or 0)
end

=== ticking.write
function @{ticking.write}(step, all)
  if step.number + #step.stops > 0 then
    do
      local us = string.format('%.0f', @{namespace.now_us})
      redis.call('HSET', @{namespace.meta}, 'clock:1', us)
      if @{namespace.gap} then
        redis.call('HSET', @{namespace.meta}, 'gap', string.format('%.0f', @{namespace.gap}))
      end
    end
  end
  for _, old in ipairs(step.stops) do
    @{cancelling.cancel}(old, old)
  end
  local queues = {}
  for _, schedule in ipairs(step.changed) do
    for _, plan in ipairs(schedule.plans or {}) do
      @{firing.make}(plan, 'schedule')
      queues[#queues + 1] = schedule.queue
    end
    @{schedules.write}(schedule, 'tasks', 'last_slot', 'last_task', 'last_at', 'error')
  end
  for _, name in ipairs(step.strays) do
    redis.call('ZREM', all, name)
  end
  for i, queue in ipairs(queues) do
    if queue ~= queues[i + 1] then
      do
        local queue = queue
        local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
        local value_2_1
        do
          local queue, idle, sets = queue, idle[queue], idle['*']
          if idle then
            redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
          end
          if sets then
            do
              local queue = queue
              local ready = @{namespace.prefix} .. 'ready'
              if not @{namespace.declared} or @{namespace.is_here}(ready) then
                redis.pcall('ZADD', ready, '0', queue)
              end
            end
            if sets ~= '' then
              sets = @{wakeups.wake_sets}(sets, queue)
            end
          end
          redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
          value_2_1 = sets
        end
        local sets = value_2_1
        idle[queue], idle['*'] = nil, sets
      end
    end
  end
end

=== ticking.tick
function @{ticking.tick}(limit)
  local all, now = @{namespace.prefix} .. 'schedules', @{namespace.now_us} / 1000000
  local step = { now = now, room = limit, bytes = 0, number = 0, taken = {}, stops = {}, changed = {}, strays = {} }
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', all, '-inf', @{namespace.now}, 'LIMIT', 0, limit)) do
    if step.room < 1 or step.bytes > 4194304 then
      break
    end
    @{ticking.plan}(step, name)
  end
  local low = @{schedules.low}(step.changed)
  if #step.changed + #step.strays > 0 then
    @{schedules.probe}()
    @{namespace.begin}()
  end
  @{ticking.write}(step, all)
  local first = redis.call('ZRANGE', all, 0, 0, 'WITHSCORES')[2]
  first = first and first ~= 'inf' and tonumber(first) or nil
  return { step.number, first and first <= now and 1 or 0,
    first and first > now and string.format('%.0f', first) or '', unpack(low) }
end

=== topology.key
function @{topology.key}()
  return @{namespace.prefix} .. 'topology'
end

=== topology.stored
function @{topology.stored}()
  local v = redis.call('HMGET', @{namespace.declare}(@{topology.key}()), 'version', 'partition', 'names')
  return tonumber(v[1] or 0), v[2] or '', v[3] or '[]'
end

=== topology.name
function @{topology.name}(value, what)
  if #value > 32 or not string.find(value, '^[%w._-]+$') then
    @{reply.fail}('BADNAME', what .. ' must be 1 to ' .. 32 .. ' characters of A-Z a-z 0-9 . _ -')
  end
  return value
end

=== topology.names
function @{topology.names}(count, own)
  local names, named = {}, {}
  for i = 1, count do
    local name = @{topology.name}(@{args.next}('member'), 'member')
    if named[name] then
      @{reply.fail}('BADARG', 'a partition is named twice')
    end
    names[i], named[name] = name, true
  end
  if not named[own] then
    @{reply.fail}('BADARG', 'partition must be one of the members')
  end
  table.sort(names, @{args.before})
  return '["' .. table.concat(names, '","') .. '"]'
end

=== tracking.all
function @{tracking.all}()
  return @{namespace.prefix} .. 'tracked'
end

=== tracking.key
function @{tracking.key}()
  return @{namespace.prefix} .. 'changes'
end

=== tracking.has
function @{tracking.has}(task)
  return task.flags and string.find(task.flags, 'o', 1, true)
end

=== tracking.plan
function @{tracking.plan}()
  @{namespace.probe}('XLEN', @{tracking.key}())
  @{namespace.probe}('ZCARD', @{tracking.all}())
end

=== tracking.plan_note
function @{tracking.plan_note}(task)
  if @{tracking.has}(task) then
    @{tracking.plan}()
  end
end

=== tracking.plan_value
function @{tracking.plan_value}(task, field, value)
  if @{tracking.has}(task) then
    @{tracking.plan}()
    return redis.call('HGET', @{namespace.prefix} .. 'task_' .. task.id, field) ~= value
  end
end

=== tracking.add
function @{tracking.add}(task, at, what, from, to, by, why, text)
  redis.call('XADD', @{tracking.key}(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue,
    'what', what, 'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', @{tracking.key}(), '')
end

=== tracking.note
function @{tracking.note}(task, what, by, text, why)
  if @{tracking.has}(task) then
    @{tracking.add}(task, @{namespace.now}, what, task.status, task.status, by, why or what, text)
  end
end

=== tracking.transition
function @{tracking.transition}(task, to, why, by, ...)
  local fields, text = { ... }, nil
  for i = 1, #fields, 2 do
    local name = fields[i]
    if name == 'error' or name == 'last_error' then
      text = string.sub(fields[i + 1], 1, 256)
    elseif name == 'reason' then
      text = fields[i + 1]
    end
  end
  @{tracking.add}(task, @{record.time}(task), 'state', task.status, to, by, why, text)
  if to == 'deleted' then
    @{tracking.forget}(task.id)
  end
end

=== tracking.forget
function @{tracking.forget}(id)
  redis.call('ZREM', @{tracking.all}(), id)
end

=== tracking.stale
function @{tracking.stale}()
  local gone = {}
  for _, id in ipairs(redis.call('ZRANGE', @{tracking.all}(), 0, 1000)) do
    if not @{record.find}(id) then
      gone[#gone + 1] = id
    end
  end
  return gone
end

=== wakeups.plan
function @{wakeups.plan}(queue)
  local idle = @{namespace.shared}('idle')
  idle[queue] = @{namespace.probe}('LLEN', @{namespace.prefix} .. 'wake_' .. queue) == 0
  if idle['*'] == nil then
    idle['*'] = redis.call('HGET', @{namespace.meta}, 'patterns')
  end
end

=== wakeups.wake_sets
function @{wakeups.wake_sets}(sets, queue)
  local left = @{patterns.wake_sets}(sets, queue)
  if left ~= sets then
    redis.pcall('HSET', @{namespace.meta}, 'patterns', left)
  end
  return left
end

=== walks.find
function @{walks.find}(graph)
  local v = redis.call('HMGET', @{graphs.key}(graph.id), @{graphs.walk_fields}())
  return v[1] and { graph = graph.id, total = graph.total, doing = v[1], at = tonumber(v[2]), task = v[3] or nil,
    reason = v[4] or '', force = v[5], changed = tonumber(v[6] or 0), refused = tonumber(v[7] or 0),
    part = v[8] or nil, tasks = {}, marks = {}, left = {}, stopped = {},
    spec = { planned = {}, awaited = {}, walks = true, deadline = v[9] or nil } } or nil
end

=== walks.plan
function @{walks.plan}(walk, limit)
  @{namespace.probe}('ZCARD', @{graphs.chosen}(walk.graph))
  if walk.doing == 'cancel' then
    @{walks.plan_cancels}(walk, limit)
  elseif walk.doing == 'rerun' then
    @{walks.plan_reruns}(walk, limit)
  elseif walk.doing == 'mark_rerun' or walk.doing == 'mark_cancel' then
    @{walks.plan_marks}(walk)
  else
    @{walks.plan_retries}(walk, limit)
  end
end

=== walks.page
function @{walks.page}(walk)
  return redis.call('LRANGE', @{namespace.declare}(@{graphs.tasks}(walk.graph)), walk.at, walk.at + 300 - 1)
end

=== walks.task
function @{walks.task}(walk, id)
  local task = @{actions.find}(id)
  return task and redis.call('HGET', task.key, 'graph') == walk.graph and task or nil
end

=== walks.act
function @{walks.act}(walk, task, plan, act)
  if plan(task, walk.spec) then
    walk.refused = walk.refused + 1
  elseif task.to then
    task.act = act
    walk.tasks[#walk.tasks + 1] = task
  end
end

=== walks.is_full
function @{walks.is_full}(walk, limit)
  return #walk.tasks >= limit or (walk.spec.entries or 0) > 20000
end

=== walks.plan_next
function @{walks.plan_next}(walk, again)
  walk.changed = walk.changed + #walk.tasks
  walk.next = walk.doing
  if walk.at >= walk.total then
    walk.next = again and walk.doing
    walk.pause = again and walk.changed == 0
    walk.at, walk.changed, walk.refused = 0, 0, 0
  end
end

=== walks.plan_retries
function @{walks.plan_retries}(walk, limit)
  local spec = walk.spec
  spec.begun = {}
  for _, id in ipairs(@{walks.page}(walk)) do
    walk.at = walk.at + 1
    local task = @{walks.task}(walk, id)
    if task and @{walks.may_run_again}(walk, task) then
      if @{record.held}(task) then
        @{walks.act}(walk, task, @{walks.spare}, @{walks.do_spare})
      else
        @{walks.act}(walk, task, @{retrying.plan}, @{retrying.retry})
      end
      spec.begun[id] = task.to and true
    end
    if @{walks.is_full}(walk, limit) then
      break
    end
  end
  @{walks.plan_next}(walk, walk.refused > 0 and walk.changed + #walk.tasks > 0)
end

=== walks.may_run_again
function @{walks.may_run_again}(walk, task)
  if not (task.status == 'failed' or task.status == 'cancelled' or @{record.held}(task) and task.cancel) then
    return false
  elseif walk.doing == 'retry' then
    return true
  end
  local cause = redis.call('HGET', task.key, 'cause')
  local status = cause and redis.call('HGET', @{namespace.key}('task', cause), 'status')
  return status and status ~= 'failed' and status ~= 'cancelled' or cause and walk.spec.begun[cause]
end

=== walks.spare
function @{walks.spare}(task)
  if @{orders.of}(task) == 'kill' then
    return @{retrying.stopping}(task)
  elseif @{deadlines.decided}(task) then
    return @{deadlines.refusal}()
  end
  task.to = 'requeuing'
  @{orders.plan}(task.queue)
  @{tracking.plan_note}(task)
end

=== walks.do_spare
function @{walks.do_spare}(task)
  @{orders.give}(task.queue, 't:' .. task.id, 'stop')
  redis.call('HDEL', task.key, 'cancel', 'discard', 'cause', 'reason')
  @{holdings.need}(task)
  redis.call('HSET', task.key, 'requeue', @{namespace.now})
  @{tracking.note}(task, 'requeue')
end

=== walks.plan_cancels
function @{walks.plan_cancels}(walk, limit)
  local spec = walk.spec
  spec.reason, spec.force, spec.discard = walk.reason, walk.force, true
  if not walk.task then
    @{namespace.shared}('on_failure')[walk.graph] = 'continue'
  end
  local from = -walk.at - 1
  local ids = redis.call('LRANGE', @{namespace.declare}(@{graphs.tasks}(walk.graph)), from - 300 + 1, from)
  for i = #ids, 1, -1 do
    walk.at = walk.at + 1
    local ours = not walk.task or redis.call('ZSCORE', @{graphs.chosen}(walk.graph), ids[i])
    local task = ours and @{walks.task}(walk, ids[i])
    if task and not @{contract.is_final}(task.status) then
      task.cause = walk.task ~= ids[i] and walk.task or nil
      @{walks.act}(walk, task, @{cancelling.plan}, @{cancelling.cancel})
    end
    if @{walks.is_full}(walk, limit) then
      break
    end
  end
  @{walks.plan_next}(walk, false)
end

=== walks.plan_marks
function @{walks.plan_marks}(walk)
  local after, entries = walk.doing == 'mark_cancel' and 'cancel' or 'rerun', 0
  for _, id in ipairs(@{walks.page}(walk)) do
    local mark = redis.call('ZSCORE', @{graphs.chosen}(walk.graph), id)
    local v = redis.call('HMGET', @{namespace.declare}(@{namespace.key}('task', id)), 'inputs', 'graph')
    local inputs = mark ~= '1' and id ~= walk.task and v[2] == walk.graph and v[1] or ''
    local page, rest = @{edge_inputs.page}(inputs, tonumber(walk.part or 1), 1000 - entries)
    entries = entries + #page
    local below = mark == '1' or id == walk.task or @{walks.hangs_below}(walk, page, after, mark == '2')
    walk.part = not below and rest or nil
    if walk.part then
      break
    end
    walk.at = walk.at + 1
    if below and mark ~= '1' then
      walk.marks[id], walk.changed = '1', walk.changed + 1
    end
    if entries >= 1000 then
      break
    end
  end
  walk.next = walk.doing
  if walk.at >= walk.total then
    walk.next = walk.changed > 0 and walk.doing or after
    walk.at, walk.changed = 0, 0
  end
end

=== walks.hangs_below
function @{walks.hangs_below}(walk, page, after, any)
  local ids = {}
  for _, entry in ipairs(page) do
    if after == 'rerun' or entry.kind ~= 'some' and @{edges.needs_success}(entry.kind) then
      if walk.marks[entry.id] then
        return true
      end
      ids[#ids + 1] = entry.id
    end
  end
  for _, mark in pairs(@{edge_rerun.marks}(@{graphs.chosen}(walk.graph), ids)) do
    if mark and (any or mark ~= '0') then
      return true
    end
  end
  return false
end

=== walks.plan_reruns
function @{walks.plan_reruns}(walk, limit)
  local spec = walk.spec
  spec.reruns, spec.fresh, spec.reason, spec.discard = true, true, 'to run again', true
  @{namespace.probe}('ZCARD', @{edges.deferred}())
  spec.chosen, spec.look, spec.wait = @{graphs.chosen}(walk.graph), @{edge_rerun.plan}, @{edge_rerun.run}
  spec.graph, spec.begins = walk.graph, walk.marks
  for _, id in ipairs(@{walks.page}(walk)) do
    local part = walk.part
    walk.at, walk.part = walk.at + 1, nil
    local mark = redis.call('ZSCORE', spec.chosen, id)
    if mark == '1' or mark == '2' then
      local task = @{walks.task}(walk, id)
      if task then
        task.first = mark == '2'
      end
      if not task or not @{walks.stops_first}(walk, task) then
        if task and not task.first and part ~= 'ready' and not @{at_least.has}(task) and @{rerun_large.is_long}(task) then
          @{walks.prepare_rerun}(walk, task, part)
          break
        end
        walk.marks[id] = '0'
        @{walks.begin_rerun}(walk, task, part)
        if not task or @{contract.is_final}(task.status) and not task.to then
          walk.left[#walk.left + 1] = id
        end
      end
    end
    if @{walks.is_full}(walk, limit) then
      break
    end
  end
  for _, id in ipairs(walk.stopped) do
    if spec.awaited[id] then
      walk.left[#walk.left + 1] = id
    end
  end
  @{walks.plan_next}(walk, walk.refused > 0)
end

=== walks.stops_first
function @{walks.stops_first}(walk, task)
  local is_held = @{record.held}(task)
  if not is_held and (task.first or task.status ~= 'held'
    and task.status ~= 'pending' and task.status ~= 'scheduled') then
    return false
  end
  walk.refused = walk.refused + 1
  if not is_held then
    walk.stopped[#walk.stopped + 1] = task.id
  end
  if not (is_held and redis.call('HGET', task.key, 'discard')) then
    @{walks.act}(walk, task, @{cancelling.plan}, @{cancelling.cancel})
  end
  return true
end

=== walks.prepare_rerun
function @{walks.prepare_rerun}(walk, task, part)
  @{rerun_large.plan}(task, walk.spec.chosen, part)
  walk.tasks[#walk.tasks + 1] = task
  walk.at, walk.part = walk.at - 1, task.piece.part
end

=== walks.begin_rerun
function @{walks.begin_rerun}(walk, task, part)
  if task then
    task.prepared = part == 'ready'
  end
  if task and task.status == 'waiting' then
    @{edge_rerun.plan}(task, walk.spec)
    task.act = @{edge_rerun.run}
    walk.tasks[#walk.tasks + 1] = task
  elseif task and @{contract.is_final}(task.status) then
    @{walks.act}(walk, task, @{retrying.plan}, @{retrying.retry})
  end
end

=== walks.run
function @{walks.run}(walk)
  for id, mark in pairs(walk.marks) do
    redis.call('ZADD', @{graphs.chosen}(walk.graph), mark, id)
  end
  for _, id in ipairs(walk.left) do
    redis.call('ZADD', @{edges.deferred}(), @{namespace.now}, id)
  end
  local wakes = {}
  for _, task in ipairs(walk.tasks) do
    walk.spec.cause = task.cause
    task.act(task, walk.spec)
    wakes[#wakes + 1] = walk.spec.wakes ~= wakes[#wakes] and walk.spec.wakes or nil
  end
  for _, queue in ipairs(wakes) do
    do
      local queue = queue
      local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
      local value_2_1
      do
        local queue, idle, sets = queue, idle[queue], idle['*']
        if idle then
          redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
        end
        if sets then
          do
            local queue = queue
            local ready = @{namespace.prefix} .. 'ready'
            if not @{namespace.declared} or @{namespace.is_here}(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if sets ~= '' then
            sets = @{wakeups.wake_sets}(sets, queue)
          end
        end
        redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
        value_2_1 = sets
      end
      local sets = value_2_1
      idle[queue], idle['*'] = nil, sets
    end
  end
  local key = @{graphs.key}(walk.graph)
  if walk.next then
    redis.call('HSET', key, 'doing', walk.next, 'at', walk.at, 'changed', walk.changed, 'refused', walk.refused,
      unpack(walk.part and { 'part', walk.part } or {}))
    if not walk.part then
      redis.call('HDEL', key, 'part')
    end
    local from = @{namespace.now_us} + (walk.pause and 1000000 or 0)
    redis.call('ZADD', @{graphs.due}(), @{namespace.decimal}(from), walk.graph)
  else
    redis.call('HDEL', key, @{graphs.walk_fields}())
    redis.call('UNLINK', @{graphs.chosen}(walk.graph))
  end
end

=== watches.key
function @{watches.key}()
  return @{namespace.prefix} .. 'watches'
end

=== watches.of
function @{watches.of}(targets, end_by, waited)
  return targets and string.find(targets, '=', 1, true)
    and { targets = targets, end_by = end_by or nil, waited = waited or nil } or nil
end

=== watches.seconds
function @{watches.seconds}(time)
  local number, unit = string.match(time, '^(%d+)(%l)$')
  for _, known in ipairs({ { 'd', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 } }) do
    if unit == known[1] then
      return tonumber(number) * known[2]
    end
  end
end

=== watches.check
function @{watches.check}(event, time)
  local seconds = #time <= 9 and @{watches.seconds}(string.find(time, '^%d+$') and time .. 's' or time)
  if not seconds or seconds < 1 or seconds > 31622400 or not string.find(' deadline no-progress pending ', ' ' .. event .. ' ', 1,
    true) then
    return nil
  end
  for _, unit in ipairs({ { 'd', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 } }) do
    if seconds % unit[2] == 0 then
      return string.format('%s=%d%s', event, seconds / unit[2], unit[1])
    end
  end
end

=== watches.due
function @{watches.due}(watch, status)
  local now = @{namespace.now} * 1000000
  local due, open = {}, @{contract.is_waiting}(status) or status == 'reserved' or status == 'started'
  for event, time in string.gmatch(watch and open and watch.targets or '', '([%l-]+)=(%w+)') do
    local after = @{watches.seconds}(time) * 1000000
    local at = event == 'deadline' and watch.end_by and watch.end_by * 1000000 - after
      or event == 'no-progress' and status == 'started' and now + after
      or event == 'pending' and status == 'pending' and not @{watches.has_waited}(watch, time) and now + after
    if at then
      due[event .. '=' .. time] = string.format('%.0f', math.max(0, at))
    end
  end
  return due
end

=== watches.has_waited
function @{watches.has_waited}(watch, time)
  return string.find(' ' .. (watch.waited or '') .. ' ', ' ' .. time .. ' ', 1, true)
end

=== watches.change
function @{watches.change}(id, old, from, new, to)
  local left, entered = @{watches.due}(old, from or ''), @{watches.due}(new, to)
  for event in pairs(left) do
    if not entered[event] then
      redis.call('ZREM', @{watches.key}(), event .. ' ' .. id)
    end
  end
  for event, at in pairs(entered) do
    if left[event] ~= at then
      redis.call('ZADD', @{watches.key}(), at, event .. ' ' .. id)
    end
  end
end

=== watching.plan
function @{watching.plan}(limit)
  local members = redis.call('ZRANGEBYSCORE', @{namespace.declare}(@{watches.key}()), '-inf',
    string.format('%.0f', @{namespace.now_us}), 'LIMIT', 0, limit)
  if not members[1] then
    return nil
  end
  local step, tasks = { members = members, due = {} }, {}
  for _, member in ipairs(members) do
    local event, id = string.match(member, '^(%S+) (.+)$')
    local task = id and (tasks[id] or @{record.find}(id, 'progressed', 'checkpointed', 'suspended', 'continued'))
    if task then
      tasks[id] = task
    end
    if task and @{watching.is_open}(task, event) then
      local time = string.match(event, '^no%-progress=(.+)$')
      local due = { task = task, event = event, member = member }
      due.again = time and @{watching.look_again}(task, @{watches.seconds}(time))
      if not due.again then
        task.plan = task.plan or @{notices.plan_for}(id, task.watch.targets)
      end
      step.due[#step.due + 1] = due
    end
  end
  return step
end

=== watching.is_open
function @{watching.is_open}(task, event)
  if not string.find(task.flags or '', 'm', 1, true) then
    return false
  end
  @{holdings.load}(task)
  return task.watch ~= nil and @{watches.due}(task.watch, task.status)[event] ~= nil
end

=== watching.look_again
function @{watching.look_again}(task, seconds)
  local entry = redis.call('XREVRANGE', @{namespace.declare}(@{namespace.key}('log', task.id)), '+', '-', 'COUNT', 1)[1]
  local last = task.extra[3] and @{namespace.now_us} / 1000000 or tonumber(task.since)
  for _, at in ipairs({ task.extra[1] or 0, task.extra[2] or 0, task.extra[4] or 0, entry and entry[2][2] or 0 }) do
    last = math.max(last, tonumber(at) or 0)
  end
  local at = (last + seconds) * 1000000
  return at > @{namespace.now_us} and string.format('%.0f', at) or nil
end

=== watching.run
function @{watching.run}(step)
  redis.call('ZREM', @{watches.key}(), unpack(step.members))
  for _, due in ipairs(step.due) do
    if due.again then
      redis.call('ZADD', @{watches.key}(), due.again, due.member)
    else
      @{notices.add_timed}(due.task.plan, due.task, due.event)
    end
  end
end

=== workers.moment
function @{workers.moment}(seconds)
  return math.floor(tonumber(seconds) * 1000000 + 0.5)
end

=== workers.key
function @{workers.key}(listener)
  return @{namespace.prefix} .. 'worker_' .. listener
end

=== workers.find
function @{workers.find}(listener)
  local known = @{namespace.shared}('workers')
  if known[listener] == nil then
    local v = redis.call('HMGET', @{workers.key}(listener), 'queues', 'at', 'free', 'draining', 'patterns')
    known[listener] = v[1] and v[2] and {
      queues = v[1], at = @{workers.moment}(v[2]), full = v[3] == '0', draining = v[4] == '1',
      set = v[5] and v[5] ~= '' and @{patterns.set}(v[5]),
    }
  end
  return known[listener] or nil
end

=== workers.serves
function @{workers.serves}(listener, queue)
  local worker = @{workers.find}(listener)
  return worker and (string.find(',' .. worker.queues .. ',', ',' .. queue .. ',', 1, true)
    or worker.set and @{patterns.chooser}(worker.set)(queue)) and worker
end

=== workers.plan_leave
function @{workers.plan_leave}(listener)
  @{namespace.declare}(@{workers.key}(listener))
  if @{workers.find}(listener) then
    @{namespace.probe}('ZCARD', @{namespace.prefix} .. 'workers')
  end
end

=== workers.leave
function @{workers.leave}(listener, queue)
  local worker = @{workers.find}(listener)
  if not worker then
    return
  end
  local left = {}
  for other in string.gmatch(worker.queues, '[^,]+') do
    left[#left + 1] = other ~= queue and other or nil
  end
  worker.queues = table.concat(left, ',')
  if #left > 0 then
    redis.call('HSET', @{workers.key}(listener), 'queues', worker.queues)
  else
    redis.call('UNLINK', @{workers.key}(listener))
    redis.call('ZREM', @{namespace.prefix} .. 'workers', listener)
  end
end

=== workers.plan_forget
function @{workers.plan_forget}()
  local found = {}
  for _, listener in ipairs(redis.call('ZRANGEBYSCORE', @{namespace.declare}(@{namespace.prefix} .. 'workers'),
    '-inf', @{namespace.now},
    'LIMIT', 0, 20)) do
    local worker, registered = @{workers.find}(listener), false
    for queue in string.gmatch(worker and worker.queues or '', '[^,]+') do
      local known = @{namespace.declare}(@{namespace.prefix} .. 'listeners_' .. queue)
      registered = registered or redis.call('SISMEMBER', known, listener) == 1
    end
    @{namespace.declare}(@{workers.key}(listener))
    found[#found + 1] = { listener = listener, registered = registered }
  end
  return found
end

=== workers.forget
function @{workers.forget}(found, later)
  for _, worker in ipairs(found) do
    local left = @{workers.find}(worker.listener)
    if worker.registered and left.queues ~= '' then
      redis.call('ZADD', @{namespace.prefix} .. 'workers', later, worker.listener)
    else
      redis.call('UNLINK', @{workers.key}(worker.listener))
      redis.call('ZREM', @{namespace.prefix} .. 'workers', worker.listener)
    end
  end
end

=== contract.is_waiting
function @{contract.is_waiting}(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending' or status == 'held'
end

=== contract.is_final
function @{contract.is_final}(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end

=== contract.counts
function @{contract.counts}(queue, reserved, started, ...)
  return {
    'waiting', redis.call('ZCARD', @{namespace.key}('waiting_tasks', queue)),
    'scheduled', redis.call('ZCARD', @{namespace.key}('scheduled_tasks', queue))
    + redis.call('ZCARD', @{namespace.key}('scheduled_ranked_tasks', queue)),
    'pending', redis.call('LLEN', @{namespace.key}('pending_tasks', queue))
    + redis.call('ZCARD', @{namespace.key}('pending_ranked_tasks', queue)),
    'held', redis.call('LLEN', @{namespace.key}('held_tasks', queue)),
    'reserved', reserved,
    'started', started,
    'complete', redis.call('LLEN', @{namespace.key}('complete_tasks', queue)),
    'failed', redis.call('LLEN', @{namespace.key}('failed_tasks', queue)),
    'cancelled', redis.call('LLEN', @{namespace.key}('cancelled_tasks', queue)),
    ...
  }
end

=== contract.arguments adopt
function @{contract.arguments}()
  local listener = @{args.listener}(@{args.next}('listener'), 'listener')
  local from = @{args.listener}(@{args.next}('from'), 'from')
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local id = @{args.plain}(@{args.next}('id'), 'id')
  return listener, from, queue, id
end

=== contract.arguments aggregate promote requeue_orphans
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  @{args.none}()
  return queue, limit
end

=== contract.arguments answer_notice
function @{contract.arguments}()
  local of = @{args.word}(@{args.next}('of'), ' task graph ', 'of')
  local subject = @{args.plain}(@{args.next}('subject'), 'subject')
  local target = @{args.plain}(@{args.next}('target'), 'target')
  local token = @{args.next}('token')
  local outcome = @{args.word}(@{args.next}('outcome'), ' delivered failed ', 'outcome')
  local answer = @{args.bytes}(@{args.next}('answer'), 1024, 'answer')
  @{args.none}()
  return of, subject, target, token, outcome, answer
end

=== contract.arguments append_log
function @{contract.arguments}()
  local id = @{args.next}('id')
  local token = @{args.next}('token')
  local source = @{args.plain}(@{args.next}('source'), 'source')
  local text = @{args.bytes}(@{args.next}('text'), 65536, 'text')
  return id, token, source, text
end

=== contract.arguments attend release
function @{contract.arguments}()
  local id = @{args.next}('id')
  local token = @{args.next}('token')
  return id, token
end

=== contract.arguments audit changes
function @{contract.arguments}()
  local after = @{args.entry}(@{args.next}('after'), 'after')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  return after, limit
end

=== contract.arguments bulk
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local action = @{args.word}(@{args.next}('action'), ' cancel retry delete purge move prioritise hold unhold suspend unsuspend signal requeue ', 'action')
  local cursor = @{search.step}(@{args.next}('cursor'), 'cursor')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  return queue, action, cursor, limit
end

=== contract.arguments cancel
function @{contract.arguments}()
  local id = @{args.plain}(@{args.next}('id'), 'id')
  local reason = @{args.bytes}(@{args.next}('reason'), 1024, 'reason')
  return id, reason
end

=== contract.arguments cancel_graph
function @{contract.arguments}()
  local graph = @{args.plain}(@{args.next}('graph'), 'graph')
  local reason = @{args.bytes}(@{args.next}('reason'), 1024, 'reason')
  return graph, reason
end

=== contract.arguments checkpoint
function @{contract.arguments}()
  local id = @{args.next}('id')
  local token = @{args.next}('token')
  local checkpoint = @{args.next}('checkpoint')
  return id, token, checkpoint
end

=== contract.arguments configure
function @{contract.arguments}()
  local queue = @{args.queue_or_all}(@{args.next}('queue'), 'queue')
  local name = @{args.next}('name')
  local value = @{args.next}('value')
  return queue, name, value
end

=== contract.arguments counts
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  @{args.none}()
  return queue
end

=== contract.arguments delete describe edit estimate hold requeue retry suspend track unhold unsuspend untrack
function @{contract.arguments}()
  local id = @{args.plain}(@{args.next}('id'), 'id')
  return id
end

=== contract.arguments delete_queue resume
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  return queue
end

=== contract.arguments depend
function @{contract.arguments}()
  local id = @{args.plain}(@{args.next}('id'), 'id')
  local inputs = @{edit_edges.parse}(@{args.next}('inputs'), 'inputs')
  return id, inputs
end

=== contract.arguments description
function @{contract.arguments}()
  local id = @{args.next}('id')
  local token = @{args.next}('token')
  local request_number = @{args.integer}(@{args.next}('request_number'), 0, 9007199254740991, 'request_number')
  @{args.none}()
  return id, token, request_number
end

=== contract.arguments drain
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local listener = @{args.listener}(@{args.next}('listener'), 'listener')
  local on = @{args.flag}(@{args.next}('on'), 'on')
  return queue, listener, on
end

=== contract.arguments events
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local after = @{args.entry}(@{args.next}('after'), 'after')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  return queue, after, limit
end

=== contract.arguments fail
function @{contract.arguments}()
  local id = @{args.next}('id')
  local token = @{args.next}('token')
  local error = @{args.next}('error')
  return id, token, error
end

=== contract.arguments find
function @{contract.arguments}()
  local queue = @{args.queue_or_all}(@{args.next}('queue'), 'queue')
  local cursor = @{search.anywhere}(@{args.next}('cursor'), 'cursor')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  return queue, cursor, limit
end

=== contract.arguments get why
function @{contract.arguments}()
  local id = @{args.plain}(@{args.next}('id'), 'id')
  @{args.none}()
  return id
end

=== contract.arguments get_many
function @{contract.arguments}()
  local count = @{args.integer}(@{args.next}('count'), 1, 500, 'count')
  return count
end

=== contract.arguments graphs tracked
function @{contract.arguments}()
  local cursor = @{search.cursor}(@{args.next}('cursor'), 'cursor')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  @{args.none}()
  return cursor, limit
end

=== contract.arguments groups tags
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local cursor = @{search.cursor}(@{args.next}('cursor'), 'cursor')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  @{args.none}()
  return queue, cursor, limit
end

=== contract.arguments heartbeat
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local listener = @{args.listener}(@{args.next}('listener'), 'listener')
  local lease = @{args.seconds}(@{args.next}('lease'), 1, 604800, 'lease')
  local count = @{args.integer}(@{args.next}('count'), 0, 500, 'count')
  return queue, listener, lease, count
end

=== contract.arguments history
function @{contract.arguments}()
  local id = @{args.plain}(@{args.next}('id'), 'id')
  local after = @{args.integer}(@{args.next}('after'), 0, 9007199254740991, 'after')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  @{args.none}()
  return id, after, limit
end

=== contract.arguments limit
function @{contract.arguments}()
  local queue = @{args.queue_or_all}(@{args.next}('queue'), 'queue')
  local key = @{args.plain}(@{args.next}('key'), 'key')
  local concurrency = @{args.next}('concurrency')
  local rate = @{args.next}('rate')
  return queue, key, concurrency, rate
end

=== contract.arguments limits
function @{contract.arguments}()
  local queue = @{args.queue_or_all}(@{args.next}('queue'), 'queue')
  local cursor = @{args.cursor}(@{args.next}('cursor'), 'cursor')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  return queue, cursor, limit
end

=== contract.arguments list
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local status = @{args.word}(@{args.next}('status'), ' waiting scheduled pending held reserved started complete failed cancelled all ', 'status')
  local cursor = @{args.next}('cursor')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  @{args.none}()
  return queue, status, cursor, limit
end

=== contract.arguments list_held unregister
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local listener = @{args.listener}(@{args.next}('listener'), 'listener')
  @{args.none}()
  return queue, listener
end

=== contract.arguments listeners
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local cursor = @{args.cursor}(@{args.next}('cursor'), 'cursor')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  @{args.none}()
  return queue, cursor, limit
end

=== contract.arguments logs
function @{contract.arguments}()
  local id = @{args.plain}(@{args.next}('id'), 'id')
  local after = @{args.entry}(@{args.next}('after'), 'after')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  return id, after, limit
end

=== contract.arguments maintenance
function @{contract.arguments}()
  local count = @{args.integer}(@{args.next}('count'), 0, 32, 'count')
  return count
end

=== contract.arguments move
function @{contract.arguments}()
  local id = @{args.plain}(@{args.next}('id'), 'id')
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  return id, queue
end

=== contract.arguments note
function @{contract.arguments}()
  local id = @{args.plain}(@{args.next}('id'), 'id')
  local text = @{args.bytes}(@{args.next}('text'), 1024, 'text')
  return id, text
end

=== contract.arguments notices
function @{contract.arguments}()
  local of = @{args.word}(@{args.next}('of'), ' task graph ', 'of')
  local subject = @{args.plain}(@{args.next}('subject'), 'subject')
  @{args.none}()
  return of, subject
end

=== contract.arguments pause
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local by = @{args.plain}(@{args.next}('by'), 'by')
  local reason = @{args.bytes}(@{args.next}('reason'), 1024, 'reason')
  return queue, by, reason
end

=== contract.arguments pause_schedule
function @{contract.arguments}()
  local name = @{schedules.name}(@{args.next}('name'), 'name')
  local by = @{args.plain}(@{args.next}('by'), 'by')
  local reason = @{args.bytes}(@{args.next}('reason'), 1024, 'reason')
  @{args.none}()
  return name, by, reason
end

=== contract.arguments peek
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 100, 'limit')
  return queue, limit
end

=== contract.arguments prioritise
function @{contract.arguments}()
  local id = @{args.plain}(@{args.next}('id'), 'id')
  local priority = @{args.priority}(@{args.next}('priority'), 'priority')
  return id, priority
end

=== contract.arguments progress
function @{contract.arguments}()
  local id = @{args.next}('id')
  local token = @{args.next}('token')
  local progress = @{args.bytes}(@{args.next}('progress'), 4096, 'progress')
  @{args.none}()
  return id, token, progress
end

=== contract.arguments prune
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  return queue, limit
end

=== contract.arguments queues schedules workers
function @{contract.arguments}()
  local cursor = @{args.cursor}(@{args.next}('cursor'), 'cursor')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  @{args.none}()
  return cursor, limit
end

=== contract.arguments ready
function @{contract.arguments}()
  local listener = @{args.listener}(@{args.next}('listener'), 'listener')
  local cursor = @{patterns.cursor}(@{args.next}('cursor'), 'cursor')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  local count = @{args.integer}(@{args.next}('count'), 1, 100, 'count')
  return listener, cursor, limit, count
end

=== contract.arguments redeliver
function @{contract.arguments}()
  local target = @{args.plain}(@{args.next}('target'), 'target')
  local count = @{args.integer}(@{args.next}('count'), 1, 500, 'count')
  return target, count
end

=== contract.arguments register
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local listener = @{args.listener}(@{args.next}('listener'), 'listener')
  return queue, listener
end

=== contract.arguments repair
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local cursor = @{args.next}('cursor')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  return queue, cursor, limit
end

=== contract.arguments report
function @{contract.arguments}()
  local listener = @{args.listener}(@{args.next}('listener'), 'listener')
  local slots = @{args.integer}(@{args.next}('slots'), 1, 100000, 'slots')
  local free = @{args.integer}(@{args.next}('free'), 0, 100000, 'free')
  local count = @{args.integer}(@{args.next}('count'), 0, 32, 'count')
  return listener, slots, free, count
end

=== contract.arguments resume_schedule unschedule
function @{contract.arguments}()
  local name = @{schedules.name}(@{args.next}('name'), 'name')
  return name
end

=== contract.arguments retry_graph
function @{contract.arguments}()
  local graph = @{args.plain}(@{args.next}('graph'), 'graph')
  return graph
end

=== contract.arguments run_deferred tick
function @{contract.arguments}()
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  @{args.none}()
  return limit
end

=== contract.arguments run_schedule
function @{contract.arguments}()
  local name = @{schedules.name}(@{args.next}('name'), 'name')
  local id = @{args.plain}(@{args.next}('id'), 'id')
  return name, id
end

=== contract.arguments schedule
function @{contract.arguments}()
  local name = @{schedules.name}(@{args.next}('name'), 'name')
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local recurrence = @{args.next}('recurrence')
  local parameters = @{args.next}('parameters')
  local count = @{args.integer}(@{args.next}('count'), 0, 64, 'count')
  return name, queue, recurrence, parameters, count
end

=== contract.arguments set_topology
function @{contract.arguments}()
  local former = @{args.integer}(@{args.next}('former'), 0, 999999999, 'former')
  local version = @{args.integer}(@{args.next}('version'), 1, 1000000000, 'version')
  local partition = @{topology.name}(@{args.next}('partition'), 'partition')
  local count = @{args.integer}(@{args.next}('count'), 1, 1000, 'count')
  return former, version, partition, count
end

=== contract.arguments settings
function @{contract.arguments}()
  local queue = @{args.queue_or_all}(@{args.next}('queue'), 'queue')
  @{args.none}()
  return queue
end

=== contract.arguments show_graph
function @{contract.arguments}()
  local graph = @{args.plain}(@{args.next}('graph'), 'graph')
  local cursor = @{args.cursor}(@{args.next}('cursor'), 'cursor')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  @{args.none}()
  return graph, cursor, limit
end

=== contract.arguments show_schedule
function @{contract.arguments}()
  local name = @{schedules.name}(@{args.next}('name'), 'name')
  @{args.none}()
  return name
end

=== contract.arguments signal
function @{contract.arguments}()
  local id = @{args.plain}(@{args.next}('id'), 'id')
  local signal = @{args.word}(@{args.next}('signal'), ' ABRT ALRM HUP INT IO PIPE PROF QUIT TERM URG USR1 USR2 VTALRM WINCH ', 'signal')
  return id, signal
end

=== contract.arguments statistics
function @{contract.arguments}()
  local queue = @{args.plain}(@{args.next}('queue'), 'queue')
  local days = @{args.integer}(@{args.next}('days'), 1, 14, 'days')
  return queue, days
end

=== contract.arguments supply_times
function @{contract.arguments}()
  local name = @{schedules.name}(@{args.next}('name'), 'name')
  local recurrence = @{args.next}('recurrence')
  local after = @{args.integer}(@{args.next}('after'), 0, 100000000000, 'after')
  local count = @{args.integer}(@{args.next}('count'), 0, 64, 'count')
  return name, recurrence, after, count
end

=== contract.arguments tag untag
function @{contract.arguments}()
  local id = @{args.plain}(@{args.next}('id'), 'id')
  local count = @{args.integer}(@{args.next}('count'), 1, 16, 'count')
  return id, count
end

=== contract.arguments take_notices
function @{contract.arguments}()
  local limit = @{args.integer}(@{args.next}('limit'), 1, 100, 'limit')
  local count = @{args.integer}(@{args.next}('count'), 1, 100, 'count')
  return limit, count
end

=== contract.arguments undelivered
function @{contract.arguments}()
  local target = @{args.plain}(@{args.next}('target'), 'target')
  local cursor = @{search.cursor}(@{args.next}('cursor'), 'cursor')
  local limit = @{args.integer}(@{args.next}('limit'), 1, 500, 'limit')
  return target, cursor, limit
end

=== contract.arguments undepend
function @{contract.arguments}()
  local id = @{args.plain}(@{args.next}('id'), 'id')
  local upstream = @{args.plain}(@{args.next}('upstream'), 'upstream')
  return id, upstream
end

=== contract.option adopt
function @{contract.option}(name, value)
  if name == 'lease' then
    return @{args.seconds}(value, 1, 604800, name)
  elseif name == 'request' then
    return @{args.plain}(value, name)
  end
end

=== contract.option append_log
function @{contract.option}(name, value)
  if name == 'offset' then
    return @{args.integer}(value, 0, 9007199254740991, name)
  end
end

=== contract.option attend
function @{contract.option}(name, value)
  if name == 'answered' then
    return @{args.integer}(value, 0, 9007199254740991, name)
  elseif name == 'refused' then
    return @{args.bytes}(value, 1024, name)
  elseif name == 'described' then
    return @{args.bytes}(value, 65536, name)
  end
end

=== contract.option audit
function @{contract.option}(name, value)
  if name == 'by' or name == 'what' then
    return @{args.plain}(value, name)
  elseif name == 'on' then
    return value
  end
end

=== contract.option bulk
function @{contract.option}(name, value)
  if name == 'prefix' or name == 'tag' or name == 'method' or name == 'key' or name == 'into' or name == 'by' or name == 'request' then
    return @{args.plain}(value, name)
  elseif name == 'status' then
    return @{search.states}(value, name)
  elseif name == 'group' then
    return @{groups.name}(value, name)
  elseif name == 'from' or name == 'to' then
    return @{args.seconds}(value, 0, 100000000000, name)
  elseif name == 'reason' then
    return @{args.bytes}(value, 1024, name)
  elseif name == 'force' or name == 'at_once' or name == 'fresh' then
    return @{args.flag}(value, name)
  elseif name == 'priority' then
    return @{args.priority}(value, name)
  elseif name == 'signal' then
    return @{args.word}(value, ' ABRT ALRM HUP INT IO PIPE PROF QUIT TERM URG USR1 USR2 VTALRM WINCH ', name)
  end
end

=== contract.option cancel
function @{contract.option}(name, value)
  if name == 'force' or name == 'at_once' or name == 'skip' then
    return @{args.flag}(value, name)
  elseif name == 'by' or name == 'request' then
    return @{args.plain}(value, name)
  end
end

=== contract.option cancel_graph
function @{contract.option}(name, value)
  if name == 'task' or name == 'by' or name == 'request' then
    return @{args.plain}(value, name)
  elseif name == 'force' then
    return @{args.flag}(value, name)
  end
end

=== contract.option changes events
function @{contract.option}(name, value)
  if name == 'id' then
    return @{args.plain}(value, name)
  end
end

=== contract.option checkpoint
function @{contract.option}(name, value)
  if name == 'max_bytes' then
    return @{args.integer}(value, 0, 8388608, name)
  end
end

=== contract.option complete
function @{contract.option}(name, value)
  if name == 'max_bytes' then
    return @{args.integer}(value, 0, 8388608, name)
  elseif name == 'cost' or name == 'title' then
    return @{args.bytes}(value, 1024, name)
  elseif name == 'next' then
    return @{args.name_or_none}(value, name)
  elseif name == 'parameters' then
    return value
  elseif name == 'eta' then
    return @{args.seconds}(value, 0, 100000000000, name)
  elseif name == 'unset' then
    return @{edits.names}(value, name)
  elseif name == 'submitter' or name == 'method' or name == 'key' or name == 'unique' then
    return @{args.plain}(value, name)
  elseif name == 'command' then
    return @{args.command}(value, name)
  elseif name == 'priority' then
    return @{args.priority}(value, name)
  elseif name == 'max_failures' then
    return @{args.integer}(value, 0, 1000, name) and value
  elseif name == 'backoff' then
    return @{args.word}(value, ' exponential fixed ', name)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return @{args.seconds}(value, 0, 31536000, name) and value
  elseif name == 'jitter' then
    return @{args.integer}(value, 0, 100, name) and value
  elseif name == 'max_losses' then
    return @{args.integer}(value, 0, 1000000000, name) and value
  elseif name == 'max_releases' then
    return @{args.integer}(value, 0, 1000000, name) and value
  elseif name == 'lease' then
    return @{args.seconds}(value, 1, 604800, name) and value
  elseif name == 'weight' then
    return @{args.integer}(value, 1, 1000, name) and value
  elseif name == 'needs' then
    return @{args.needs}(value, name)
  elseif name == 'limits' then
    return @{shared_limits.check}(value, name)
  elseif name == 'unique_until' then
    return @{args.unique_until}(value, name)
  elseif name == 'tags' then
    return @{args.tags}(value, name)
  elseif name == 'deadline' then
    return @{args.seconds}(value, 0, 100000000000, name) and value
  elseif name == 'max_run' or name == 'warn' or name == 'no_progress' then
    return @{args.seconds}(value, 1, 31536000, name) and value
  elseif name == 'grace' then
    return @{args.seconds}(value, 0, 86400, name) and value
  elseif name == 'nice' then
    return @{args.integer}(value, 0, 19, name) and value
  elseif name == 'notify' then
    return @{notices.check}(value, name)
  elseif name == 'log_bytes' then
    return @{args.integer}(value, 0, 268435456, name) and value
  elseif name == 'trace' then
    return @{args.trace}(value, name)
  elseif name == 'steps' then
    return @{steps.check}(value, name)
  end
end

=== contract.option configure drain resume resume_schedule set_topology track untrack
function @{contract.option}(name, value)
  if name == 'by' then
    return @{args.plain}(value, name)
  end
end

=== contract.option delete delete_queue hold move prioritise reset_clock signal suspend unhold unschedule unsuspend
function @{contract.option}(name, value)
  if name == 'by' or name == 'request' then
    return @{args.plain}(value, name)
  end
end

=== contract.option depend undepend
function @{contract.option}(name, value)
  if name == 'request' then
    return @{args.plain}(value, name)
  end
end

=== contract.option describe
function @{contract.option}(name, value)
  if name == 'values' then
    return @{args.flag}(value, name)
  elseif name == 'by' or name == 'request' then
    return @{args.plain}(value, name)
  end
end

=== contract.option edit
function @{contract.option}(name, value)
  if name == 'title' then
    return @{args.bytes}(value, 1024, name)
  elseif name == 'submitter' or name == 'method' or name == 'key' or name == 'unique' then
    return @{args.plain}(value, name)
  elseif name == 'command' then
    return @{args.command}(value, name)
  elseif name == 'priority' then
    return @{args.priority}(value, name)
  elseif name == 'max_failures' then
    return @{args.integer}(value, 0, 1000, name) and value
  elseif name == 'backoff' then
    return @{args.word}(value, ' exponential fixed ', name)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return @{args.seconds}(value, 0, 31536000, name) and value
  elseif name == 'jitter' then
    return @{args.integer}(value, 0, 100, name) and value
  elseif name == 'max_losses' then
    return @{args.integer}(value, 0, 1000000000, name) and value
  elseif name == 'max_releases' then
    return @{args.integer}(value, 0, 1000000, name) and value
  elseif name == 'lease' then
    return @{args.seconds}(value, 1, 604800, name) and value
  elseif name == 'weight' then
    return @{args.integer}(value, 1, 1000, name) and value
  elseif name == 'needs' then
    return @{args.needs}(value, name)
  elseif name == 'limits' then
    return @{shared_limits.check}(value, name)
  elseif name == 'unique_until' then
    return @{args.unique_until}(value, name)
  elseif name == 'tags' then
    return @{args.tags}(value, name)
  elseif name == 'deadline' then
    return @{args.seconds}(value, 0, 100000000000, name) and value
  elseif name == 'max_run' or name == 'warn' or name == 'no_progress' then
    return @{args.seconds}(value, 1, 31536000, name) and value
  elseif name == 'grace' then
    return @{args.seconds}(value, 0, 86400, name) and value
  elseif name == 'nice' then
    return @{args.integer}(value, 0, 19, name) and value
  elseif name == 'notify' then
    return @{notices.check}(value, name)
  elseif name == 'log_bytes' then
    return @{args.integer}(value, 0, 268435456, name) and value
  elseif name == 'trace' then
    return @{args.trace}(value, name)
  elseif name == 'steps' then
    return @{steps.check}(value, name)
  elseif name == 'max_bytes' then
    return @{args.integer}(value, 0, 8388608, name)
  elseif name == 'parameters' then
    return value
  elseif name == 'eta' then
    return @{args.seconds}(value, 0, 100000000000, name)
  elseif name == 'queue' or name == 'by' or name == 'request' then
    return @{args.plain}(value, name)
  elseif name == 'unset' then
    return @{edits.names}(value, name)
  elseif name == 'token' then
    return @{args.integer}(value, 1, 9007199254740991, name)
  elseif name == 'reason' then
    return @{args.bytes}(value, 1024, name)
  end
end

=== contract.option estimate
function @{contract.option}(name, value)
  if name == 'progress' then
    return @{args.fraction}(value, name)
  end
end

=== contract.option fail
function @{contract.option}(name, value)
  if name == 'group' then
    return @{groups.name}(value, name)
  elseif name == 'max_bytes' then
    return @{args.integer}(value, 0, 8388608, name)
  elseif name == 'again' then
    return @{args.seconds}(value, 0, 31536000, name)
  elseif name == 'final' then
    return @{args.flag}(value, name)
  elseif name == 'cost' then
    return @{args.bytes}(value, 1024, name)
  end
end

=== contract.option find
function @{contract.option}(name, value)
  if name == 'prefix' or name == 'tag' or name == 'method' or name == 'key' then
    return @{args.plain}(value, name)
  elseif name == 'status' then
    return @{search.states}(value, name)
  elseif name == 'group' then
    return @{groups.name}(value, name)
  elseif name == 'from' or name == 'to' then
    return @{args.seconds}(value, 0, 100000000000, name)
  end
end

=== contract.option finish_and_reserve
function @{contract.option}(name, value)
  if name == 'pid' then
    return @{args.integer}(value, 1, 4194304, name)
  elseif name == 'lease' then
    return @{args.seconds}(value, 1, 604800, name)
  elseif name == 'request' then
    return @{args.plain}(value, name)
  elseif name == 'woken' then
    return @{args.flag}(value, name)
  elseif name == 'order' then
    return @{args.word}(value, ' strict round weighted ', name)
  elseif name == 'weights' then
    return @{args.weights}(value, name)
  elseif name == 'max_bytes' then
    return @{args.integer}(value, 0, 8388608, name)
  end
end

=== contract.option limit
function @{contract.option}(name, value)
  if name == 'by' then
    return @{args.plain}(value, name)
  elseif name == 'expires' then
    return @{args.integer}(value, 60, 31536000, name)
  end
end

=== contract.option limits
function @{contract.option}(name, value)
  if name == 'used' then
    return @{args.flag}(value, name)
  end
end

=== contract.option logs
function @{contract.option}(name, value)
  if name == 'tail' then
    return @{args.integer}(value, 1, 1048576, name)
  end
end

=== contract.option note
function @{contract.option}(name, value)
  if name == 'by' or name == 'request' then
    return @{args.plain}(value, name)
  elseif name == 'data' then
    return @{args.bytes}(value, 1024, name)
  end
end

=== contract.option pause
function @{contract.option}(name, value)
  if name == 'stop' then
    return @{args.flag}(value, name)
  end
end

=== contract.option peek
function @{contract.option}(name, value)
  if name == 'listener' then
    return @{args.listener}(value, name)
  elseif name == 'has' then
    return @{args.has}(value, name)
  end
end

=== contract.option prune
function @{contract.option}(name, value)
  if name == 'keep' then
    return @{args.integer}(value, 0, 10000000, name)
  elseif name == 'seconds' then
    return @{args.seconds}(value, 0, 100000000000, name)
  end
end

=== contract.option ready
function @{contract.option}(name, value)
  if name == 'has' then
    return @{args.has}(value, name)
  elseif name == 'woken' or name == 'live' then
    return @{args.flag}(value, name)
  end
end

=== contract.option register
function @{contract.option}(name, value)
  if name == 'has' then
    return @{args.has}(value, name)
  end
end

=== contract.option release
function @{contract.option}(name, value)
  if name == 'reason' then
    return @{args.cause}(value, name)
  elseif name == 'again' then
    return @{args.seconds}(value, 0, 31536000, name)
  elseif name == 'uncounted' then
    return @{args.flag}(value, name)
  elseif name == 'inputs' then
    return @{edit_edges.parse}(value, name)
  elseif name == 'into' then
    return @{args.plain}(value, name)
  elseif name == 'lost' then
    return @{args.bytes}(value, 1024, name)
  elseif name == 'cost' then
    return @{args.bytes}(value, 1024, name)
  end
end

=== contract.option repair
function @{contract.option}(name, value)
  if name == 'grace' then
    return @{args.seconds}(value, 0, 86400, name)
  elseif name == 'shared' then
    return @{args.flag}(value, name)
  end
end

=== contract.option report
function @{contract.option}(name, value)
  if name == 'has' then
    return @{args.has}(value, name)
  elseif name == 'name' or name == 'version' then
    return @{args.plain}(value, name)
  elseif name == 'draining' then
    return @{args.flag}(value, name)
  elseif name == 'methods' then
    return @{args.methods}(value, name)
  elseif name == 'failed' then
    return @{args.integer}(value, 0, 9007199254740991, name)
  elseif name == 'trouble' then
    return @{args.bytes}(value, 1024, name)
  elseif name == 'patterns' then
    return @{patterns.text}(value, name)
  end
end

=== contract.option requeue
function @{contract.option}(name, value)
  if name == 'at_once' then
    return @{args.flag}(value, name)
  elseif name == 'by' or name == 'request' then
    return @{args.plain}(value, name)
  end
end

=== contract.option reserve
function @{contract.option}(name, value)
  if name == 'limit' then
    return @{args.integer}(value, 1, 100, name)
  elseif name == 'pid' then
    return @{args.integer}(value, 1, 4194304, name)
  elseif name == 'lease' then
    return @{args.seconds}(value, 1, 604800, name)
  elseif name == 'request' then
    return @{args.plain}(value, name)
  elseif name == 'woken' or name == 'due' then
    return @{args.flag}(value, name)
  elseif name == 'order' then
    return @{args.word}(value, ' strict round weighted ', name)
  elseif name == 'weights' then
    return @{args.weights}(value, name)
  end
end

=== contract.option retry
function @{contract.option}(name, value)
  if name == 'fresh' then
    return @{args.flag}(value, name)
  elseif name == 'deadline' then
    return @{args.seconds}(value, 0, 100000000000, name) and value
  elseif name == 'by' or name == 'request' then
    return @{args.plain}(value, name)
  end
end

=== contract.option retry_graph
function @{contract.option}(name, value)
  if name == 'task' then
    return @{args.names}(value, name)
  elseif name == 'deadline' then
    return @{args.seconds}(value, 0, 100000000000, name) and value
  elseif name == 'by' or name == 'request' then
    return @{args.plain}(value, name)
  end
end

=== contract.option run_schedule
function @{contract.option}(name, value)
  if name == 'overlap' then
    return @{args.word}(value, ' skip queue cancel allow ', name)
  elseif name == 'by' or name == 'request' then
    return @{args.plain}(value, name)
  end
end

=== contract.option schedule
function @{contract.option}(name, value)
  if name == 'overlap' then
    return @{args.word}(value, ' skip queue cancel allow ', name)
  elseif name == 'missed' then
    return @{args.word}(value, ' one skip all ', name)
  elseif name == 'late' then
    return @{args.integer}(value, 1, 31536000, name) and value
  elseif name == 'start' or name == 'end' or name == 'deadline' then
    return @{args.seconds}(value, 0, 100000000000, name) and value
  elseif name == 'times' then
    return @{args.integer}(value, 1, 1000000000, name) and value
  elseif name == 'title' then
    return @{args.bytes}(value, 1024, name)
  elseif name == 'submitter' or name == 'method' or name == 'key' or name == 'unique' then
    return @{args.plain}(value, name)
  elseif name == 'command' then
    return @{args.command}(value, name)
  elseif name == 'priority' then
    return @{args.priority}(value, name)
  elseif name == 'max_failures' then
    return @{args.integer}(value, 0, 1000, name) and value
  elseif name == 'backoff' then
    return @{args.word}(value, ' exponential fixed ', name)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return @{args.seconds}(value, 0, 31536000, name) and value
  elseif name == 'jitter' then
    return @{args.integer}(value, 0, 100, name) and value
  elseif name == 'max_losses' then
    return @{args.integer}(value, 0, 1000000000, name) and value
  elseif name == 'max_releases' then
    return @{args.integer}(value, 0, 1000000, name) and value
  elseif name == 'lease' then
    return @{args.seconds}(value, 1, 604800, name) and value
  elseif name == 'weight' then
    return @{args.integer}(value, 1, 1000, name) and value
  elseif name == 'needs' then
    return @{args.needs}(value, name)
  elseif name == 'limits' then
    return @{shared_limits.check}(value, name)
  elseif name == 'unique_until' then
    return @{args.unique_until}(value, name)
  elseif name == 'unique_policy' then
    return @{args.word}(value, ' reject existing replace latest ', name)
  elseif name == 'tags' then
    return @{args.tags}(value, name)
  elseif name == 'max_bytes' then
    return @{args.integer}(value, 0, 8388608, name)
  elseif name == 'max_run' or name == 'warn' or name == 'no_progress' then
    return @{args.seconds}(value, 1, 31536000, name) and value
  elseif name == 'grace' then
    return @{args.seconds}(value, 0, 86400, name) and value
  elseif name == 'nice' then
    return @{args.integer}(value, 0, 19, name) and value
  elseif name == 'notify' then
    return @{notices.check}(value, name)
  elseif name == 'log_bytes' then
    return @{args.integer}(value, 0, 268435456, name) and value
  elseif name == 'trace' then
    return @{args.trace}(value, name)
  elseif name == 'steps' then
    return @{steps.check}(value, name)
  elseif name == 'by' or name == 'request' then
    return @{args.plain}(value, name)
  end
end

=== contract.option start
function @{contract.option}(name, value)
  if name == 'lease' then
    return @{args.seconds}(value, 1, 604800, name)
  elseif name == 'span' then
    return @{args.trace}(value, name)
  end
end

=== contract.option statistics
function @{contract.option}(name, value)
  if name == 'until' then
    return @{calendar.day}(value, name)
  elseif name == 'host' then
    return @{args.host}(value, name)
  end
end

=== contract.option submit
function @{contract.option}(name, value)
  if name == 'title' then
    return @{args.bytes}(value, 1024, name)
  elseif name == 'submitter' or name == 'method' or name == 'key' or name == 'unique' then
    return @{args.plain}(value, name)
  elseif name == 'command' then
    return @{args.command}(value, name)
  elseif name == 'priority' then
    return @{args.priority}(value, name)
  elseif name == 'max_failures' then
    return @{args.integer}(value, 0, 1000, name) and value
  elseif name == 'backoff' then
    return @{args.word}(value, ' exponential fixed ', name)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return @{args.seconds}(value, 0, 31536000, name) and value
  elseif name == 'jitter' then
    return @{args.integer}(value, 0, 100, name) and value
  elseif name == 'max_losses' then
    return @{args.integer}(value, 0, 1000000000, name) and value
  elseif name == 'max_releases' then
    return @{args.integer}(value, 0, 1000000, name) and value
  elseif name == 'lease' then
    return @{args.seconds}(value, 1, 604800, name) and value
  elseif name == 'weight' then
    return @{args.integer}(value, 1, 1000, name) and value
  elseif name == 'needs' then
    return @{args.needs}(value, name)
  elseif name == 'limits' then
    return @{shared_limits.check}(value, name)
  elseif name == 'unique_until' then
    return @{args.unique_until}(value, name)
  elseif name == 'unique_policy' then
    return @{args.word}(value, ' reject existing replace latest ', name)
  elseif name == 'tags' then
    return @{args.tags}(value, name)
  elseif name == 'deadline' then
    return @{args.seconds}(value, 0, 100000000000, name) and value
  elseif name == 'max_bytes' then
    return @{args.integer}(value, 0, 8388608, name)
  elseif name == 'max_run' or name == 'warn' or name == 'no_progress' then
    return @{args.seconds}(value, 1, 31536000, name) and value
  elseif name == 'grace' then
    return @{args.seconds}(value, 0, 86400, name) and value
  elseif name == 'nice' then
    return @{args.integer}(value, 0, 19, name) and value
  elseif name == 'notify' then
    return @{notices.check}(value, name)
  elseif name == 'log_bytes' then
    return @{args.integer}(value, 0, 268435456, name) and value
  elseif name == 'trace' then
    return @{args.trace}(value, name)
  elseif name == 'steps' then
    return @{steps.check}(value, name)
  elseif name == 'inputs' then
    return @{edge_inputs.parse}(value, name)
  elseif name == 'again' or name == 'once_more' or name == 'hold' then
    return @{args.flag}(value, name)
  elseif name == 'by' or name == 'request' then
    return @{args.plain}(value, name)
  end
end

=== contract.option submit_graph
function @{contract.option}(name, value)
  if name == 'name' then
    return @{args.bytes}(value, 1024, name)
  elseif name == 'on_failure' then
    return @{args.word}(value, ' cancel continue hold ', name)
  elseif name == 'tags' then
    return @{args.tags}(value, name)
  elseif name == 'bounds' then
    return @{staging.bounds}(value, name)
  elseif name == 'deadline' then
    return @{args.seconds}(value, 0, 100000000000, name) and value
  elseif name == 'notify' then
    return @{notices.check_graph}(value, name)
  elseif name == 'trace' then
    return @{args.trace}(value, name)
  elseif name == 'submitter' or name == 'digest' or name == 'request' then
    return @{args.plain}(value, name)
  end
end

=== contract.option undelivered
function @{contract.option}(name, value)
  if name == 'given_up' then
    return @{args.flag}(value, name)
  end
end

=== contract.task_option
function @{contract.task_option}(name, value)
  if name == 'title' then
    return @{args.bytes}(value, 1024, name)
  elseif name == 'submitter' or name == 'method' or name == 'key' or name == 'unique' then
    return @{args.plain}(value, name)
  elseif name == 'command' then
    return @{args.command}(value, name)
  elseif name == 'priority' then
    return @{args.priority}(value, name)
  elseif name == 'max_failures' then
    return @{args.integer}(value, 0, 1000, name) and value
  elseif name == 'backoff' then
    return @{args.word}(value, ' exponential fixed ', name)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return @{args.seconds}(value, 0, 31536000, name) and value
  elseif name == 'jitter' then
    return @{args.integer}(value, 0, 100, name) and value
  elseif name == 'max_losses' then
    return @{args.integer}(value, 0, 1000000000, name) and value
  elseif name == 'max_releases' then
    return @{args.integer}(value, 0, 1000000, name) and value
  elseif name == 'lease' then
    return @{args.seconds}(value, 1, 604800, name) and value
  elseif name == 'weight' then
    return @{args.integer}(value, 1, 1000, name) and value
  elseif name == 'needs' then
    return @{args.needs}(value, name)
  elseif name == 'limits' then
    return @{shared_limits.check}(value, name)
  elseif name == 'unique_until' then
    return @{args.unique_until}(value, name)
  elseif name == 'unique_policy' then
    return @{args.word}(value, ' reject existing replace latest ', name)
  elseif name == 'tags' then
    return @{args.tags}(value, name)
  elseif name == 'deadline' then
    return @{args.seconds}(value, 0, 100000000000, name) and value
  elseif name == 'max_bytes' then
    return @{args.integer}(value, 0, 8388608, name)
  elseif name == 'max_run' or name == 'warn' or name == 'no_progress' then
    return @{args.seconds}(value, 1, 31536000, name) and value
  elseif name == 'grace' then
    return @{args.seconds}(value, 0, 86400, name) and value
  elseif name == 'nice' then
    return @{args.integer}(value, 0, 19, name) and value
  elseif name == 'notify' then
    return @{notices.check}(value, name)
  elseif name == 'log_bytes' then
    return @{args.integer}(value, 0, 268435456, name) and value
  elseif name == 'trace' then
    return @{args.trace}(value, name)
  elseif name == 'steps' then
    return @{steps.check}(value, name)
  end
end

=== contract.setting
function @{contract.setting}(name, value, what)
  if name == 'lease' then
    return @{args.seconds}(value, 1, 604800, what)
  elseif name == 'grace' then
    return @{args.seconds}(value, 0, 86400, what)
  elseif name == 'max_failures' then
    return @{args.integer}(value, 0, 1000, what)
  elseif name == 'backoff' then
    return @{args.word}(value, ' exponential fixed ', what)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return @{args.seconds}(value, 0, 31536000, what)
  elseif name == 'jitter' then
    return @{args.integer}(value, 0, 100, what)
  elseif name == 'max_losses' then
    return @{args.integer}(value, 0, 1000000000, what)
  elseif name == 'max_releases' or name == 'max_uncounted' then
    return @{args.integer}(value, 0, 1000000, what)
  elseif name == 'max_bytes' then
    return @{args.integer}(value, 0, 8388608, what)
  elseif name == 'log_bytes' then
    return @{args.integer}(value, 0, 268435456, what)
  elseif name == 'logs_bytes' then
    return @{args.integer}(value, 0, 1099511627776, what)
  elseif name == 'input_bytes' then
    return @{args.integer}(value, 1024, 16777216, what)
  elseif name == 'graph_bytes' then
    return @{args.integer}(value, 1024, 1099511627776, what)
  elseif name == 'forget_after' then
    return @{args.seconds}(value, 60, 604800, what)
  elseif name == 'notify' then
    return @{notices.check}(value, what)
  elseif name == 'closed' then
    return @{args.integer}(value, 0, 1, what)
  elseif name == 'concurrency' or name == 'key_concurrency' then
    return @{args.integer}(value, 1, 1000000, what)
  elseif name == 'rate' or name == 'key_rate' then
    return @{settings.rate}(value, what)
  elseif name == 'ageing' then
    return @{args.seconds}(value, 1, 604800, what)
  elseif name == 'keep' then
    return @{args.integer}(value, 0, 10000000, what)
  elseif name == 'retain' then
    return @{args.seconds}(value, 0, 100000000000, what)
  elseif name == 'events' then
    return @{args.integer}(value, 100, 100000, what)
  elseif name == 'audit' then
    return @{args.integer}(value, 100, 1000000, what)
  elseif name == 'history' then
    return @{args.integer}(value, 1, 1000, what)
  elseif name == 'statistics' then
    return @{args.integer}(value, 0, 400, what)
  end
end

=== adopt
--- Takes over a task from a listener whose process is dead, as a new attempt. The caller must have verified that the process is dead.
-- @args now listener from queue id
-- @role worker
-- @options lease request
-- @reply the reply of reserve; nil if the task ended instead, because it was cancelled or lost too often
-- @errors NOTASK OTHERQUEUE STATE NOLISTENER

local cold
@args.at
@args.next
@event_entries.id
@lost_attempts.target
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.now
@state.move
@lost_attempts.move
@namespace.gap
@namespace.now_us
@namespace.open
@namespace.key
@record.find
@record.get
@record.held
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local listener, from, queue, id = @{contract.arguments}()
  local options = @{args.options}()

  @{requests.replay}('adopt', options.request)
  local task = @{record.get}(id, 'max_losses', 'stalled_losses', @{attempt.fields}())
  if task.queue ~= queue then
    @{reply.fail}('OTHERQUEUE', 'this id is a task of another queue')
  end
  @{listeners.require}(queue, listener)
  local answer = options.request and @{attempt.repeated}(id, listener, options.request)
  if answer then
    return answer
  end
  local list = @{namespace.key}('reserved_tasks', queue .. '_' .. from)
  local held = redis.call('LPOS', @{namespace.declare}(list), id)
  local claimed = redis.call('HGET', task.key, 'reclaimed_node')
  if task.status == 'pending' and held then
    task.astray = list
  elseif not @{record.held}(task) or (claimed or task.node) ~= from or from == listener then
    @{reply.fail}('STATE', 'the task is not held by that listener: call ${TICK}list_held${TICK} again, and ${TICK}get${TICK} for its reclaimed_node')
  end

  local known_claims, claim = @{namespace.key}('claims', queue), from .. ' ' .. id
  local noted = redis.call('ZSCORE', @{namespace.declare}(known_claims), claim)

  local extra = task.extra
  local to = @{lost_attempts.target}(task, 'reserved',
    { max_losses = extra[1], losses = extra[4], stalled_losses = extra[2] })
  @{state.plan}(task, to, to == 'reserved' and listener or nil)
  local lease = tonumber(task.own_lease) or options.lease or @{settings.micros}(queue, 'lease')
  local apart = redis.call('HGET', @{namespace.meta}, 'token')
  local rate = to == 'reserved' and @{settings.get}(queue, 'rate')
  if rate then
    @{namespace.probe}('LLEN', @{limits.starts_key}(queue))
  end
  @{namespace.begin}()
  if noted then
    redis.call('ZREM', known_claims, claim)
  end
  if to ~= 'reserved' then
    @{lost_attempts.move}(task, to, 'adopt')
    return @{requests.keep}(false)
  end
  redis.call('HSET', task.key, 'losses', task.losses, 'stalled_losses', task.stalled_losses, 'outcome', 'lost',
    'ended', task.token)
  task.forget = { 'pid', 'reclaimed_node', 'requeue', 'started', 'progress', 'progressed' }
  task.taker, task.request = listener, options.request
  do
    local task, lease, why, apart, pid = task, lease, 'adopt', apart
    local listener, length = task.taker, lease == 60000000 and '60000000' or lease
    do
      local task, lease, apart = task, lease, apart
      local us = @{namespace.now_us} + 1
      @{namespace.now_us} = us
      local token, ends = @{namespace.digits}(us), us + lease
      local value_3_1
      do
        local us = ends
        local micros = us % 1000000
        value_3_1 = string.format('%d%06d', (us - micros) / 1000000, micros)
      end
      local deadline = value_3_1
      if apart then
        token = string.format('%.0f', math.max(us, tonumber(apart) + 1))
      end
      task.lease, task.issue, task.ends, task.deadline = lease, token, ends, deadline
      task.attempt = task.attempt == '0' and '1' or string.format('%d', task.attempt + 1)
    end
    local value_2_1
    do
      local task = task
      local since, now = task.since, @{namespace.now}
      if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
        now = since
      end
      value_2_1 = now
    end
    local now = value_2_1
    if pid then
      task.node, task.pid = listener, pid
      @{state.move}(task, 'started', why, listener,
        'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
        'pid', pid, 'started', now)
    else
      @{state.move}(task, 'reserved', why, listener,
        'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
        'reserved', now)
    end
    do
      local token, apart = task.issue, apart
      if apart then
        redis.call('HSET', @{namespace.meta}, 'token', token)
        token = string.format('%.0f', @{namespace.now_us})
      end
      do
        local us = token
        redis.call('HSET', @{namespace.meta}, 'clock:1', us)
        if @{namespace.gap} then
          redis.call('HSET', @{namespace.meta}, 'gap', string.format('%.0f', @{namespace.gap}))
        end
      end
    end
  end
  task.token = task.issue
  @{limits.record_start}(@{limits.starts_key}(queue), rate, string.format('%.0f', @{namespace.now_us}))
  @{orders.announce}(queue)
  return @{attempt.answer}(task, tonumber(task.deadline), lease,
    { 'lost', tostring(task.losses), extra[5], extra[6], extra[7] })
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== aggregate
--- Adds new events to the statistics of their days, each event once, and then trims the events.
-- @args now queue limit
-- @role maintenance
-- @again goes on
-- @reply number of events read, 1 if there are more events, number of events that were trimmed before they were read
-- @errors

local cold
@event_entries.codes
@event_entries.parts
@event_entries.time
@event_sums.measure
@event_sums.event
@event_sums.end_of
@aggregation.sum
@namespace.meta
@namespace.now_us
@namespace.prefix
@namespace.key
@aggregation.aggregate
@args.at
@args.next
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  return @{aggregation.aggregate}(@{contract.arguments}())
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== answer_notice
--- Reports the outcome of a delivery. A delivered notice is done, and the next notice of the task for the same target is due. A failed notice is due again after a delay, which grows from 5 seconds to an hour; after three days it is given up.
-- @args now of subject target token outcome answer
-- @role maintenance
-- @again ${TICK}stale${TICK}
-- @reply ${TICK}delivered${TICK}, ${TICK}retrying${TICK} or ${TICK}given_up${TICK}; ${TICK}stale${TICK} if the notice was taken again or answered since
-- @errors TOOBIG

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local of, subject, target, token, outcome, answer = @{contract.arguments}()
  token = @{args.integer}(token, 1, 9007199254740991, 'token')
  local owner, outbox = @{notices.owner}(of, subject), @{notices.outbox}(target)
  local key = @{notices.key}(owner)
  local others, failed = @{namespace.probe}('ZCARD', outbox), @{namespace.probe}('ZCARD', @{notices.given_up}(target))
  @{namespace.probe}('SCARD', @{notices.all}())
  local found, low, high = @{notices.read}(owner)
  local held, number = string.match(found['/' .. target] or '', '^(%S+) (%S+)$')
  local notice = held == string.format('%.0f', token) and @{notices.parse}(found, tonumber(number))
  if not notice then
    return 'stale'
  end
  local tries, at = tonumber(notice.tries) + 1, @{namespace.now_us}
  local stage, verdict = 'delivered', 'delivered'
  if outcome == 'failed' then
    stage, verdict, at = 'open', 'retrying', at + @{notices.delay}(tries)
    if @{namespace.now_us} - tonumber(notice.at) * 1000000 > 259200000000 then
      stage, verdict, at = 'given_up', 'given_up', @{namespace.now_us}
    end
  end
  found[number .. ':'] = table.concat({ stage, string.format('%d', tries), @{namespace.now},
    string.sub(answer, 1, 1024) }, ' ')
  local more = @{notices.first_open}(found, low, high, target)
  local kept = redis.call('EXISTS', @{namespace.declare}(@{notices.record}(owner))) == 1
  local last = not more and not kept and not @{notices.first_open}(found, low, high)
  local gives_up = kept and stage == 'given_up' and failed < 100000
  @{namespace.begin}()
  if last then
    redis.call('UNLINK', key)
  else
    redis.call('HSET', key, number .. ':', found[number .. ':'])
    redis.call('HDEL', key, '/' .. target)
  end
  if more then
    redis.call('ZADD', outbox, string.format('%.0f', at), owner)
  else
    redis.call('ZREM', outbox, owner)
  end
  if gives_up then
    redis.call('ZADD', @{notices.given_up}(target), string.format('%.0f', at), owner)
  elseif not more and others <= 1 and failed == 0 then
    redis.call('SREM', @{notices.all}(), target)
  end
  return verdict
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== append_log
--- Appends text to a task's log. The server keeps the beginning of the log and the latest part of the rest, until a day after the task has ended.
-- @args now id token source text
-- @role worker
-- @options offset
-- @again another entry
-- @reply id of the last entry, or an empty string if no entry is kept
-- @errors LOST TOOBIG

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@fence.task
@logs.index
@namespace.key
@logs.open
@logs.plan
@namespace.now_us
@namespace.now
@record.find
@logs.look
@namespace.shared_tables
@namespace.gap
@namespace.open
@contract.arguments
@cold

local function command()
  local LOOKS, SEARCHED = 2, 10

  @{namespace.open}()
  local id, token, source, text = @{contract.arguments}()
  local offset = @{args.options}().offset
  local task, own = @{fence.task}(id, token, '', 'log_bytes')
  local meta = redis.call('HMGET', @{namespace.meta}, 'settings:' .. task.queue, 'settings', 'logs')
  local most = tonumber(own or @{settings.value}(meta[1], meta[2], 'log_bytes'))
  local log = @{logs.open}(id)
  local seen = offset and offset + #text
  if offset and log.attempt == task.attempt and offset <= log.seen then
    if seen <= log.seen then
      return log.last
    end
    text, offset = string.sub(text, log.seen - offset + 1), log.seen
  end

  local added = @{logs.plan}(log, text, offset, most)
  local head, tail = log.head + (log.headed or 0), log.tail + (log.tailed or 0)
  local more = head + tail - log.size
  local wanted = more > 0 and (meta[3] or 0) + more - @{settings.value}(nil, meta[2], 'logs_bytes') or 0
  local found, freed = @{logs.look}(wanted > 0 and SEARCHED or LOOKS, wanted, { [id] = true })
  local kept = #added > 0 and freed >= wanted
  if not kept and #found == 0 then
    return log.last
  end
  @{namespace.begin}()
  if kept then
    local last
    for i, piece in ipairs(added) do
      last = redis.call('XADD', log.key, '*', 'at', @{namespace.now}, 'attempt', task.attempt, 'source', source,
        'text', piece[1], 'offset', piece[2] and string.format('%.0f', piece[2]) or '')
      if i == 1 and log.tailed and not log.till then
        log.till = log.headed and last or log.head > 0 and log.last or '0-0'
      end
    end
    if #log.dropped > 0 then
      redis.call('XDEL', log.key, unpack(log.dropped))
    end
    redis.call('HSET', log.sizes, 'head', head, 'tail', tail,
      'last', last, unpack(log.till and { 'till', log.till } or {}))
    if seen then
      redis.call('HSET', log.sizes, 'attempt', task.attempt, 'seen', string.format('%.0f', seen))
    end
    redis.call('ZADD', @{logs.index}(), @{namespace.now}, id)
    redis.call('EXPIRE', log.key, 2592000)
    redis.call('HINCRBY', @{namespace.meta}, 'logs', more)
    log.last = last
  end
  @{logs.free}(found)
  return log.last
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== attend
--- Reads the next request to the owner of a task, after the order ${TICK}attend${TICK}: to suspend the program, to continue it, to send it a signal, or to describe it. The owner answers each request, in order, with the next call.
-- @args now id token
-- @role worker
-- @options answered refused described
-- @reply number, kind and detail of the request; nil if no request is left
-- @errors LOST TOOBIG

local cold
@args.at
@args.next
@controlling.KINDS
@namespace.meta
@namespace.prefix
@namespace.declared
@fence.task
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, token = @{contract.arguments}()
  local options = @{args.options}()
  local task = @{fence.task}(id, token, '')
  local found = @{controls.load}(task)
  local request = found.list[1]
  if request and request.number == options.answered then
    @{controlling.plan_answer}(task, request.what)
    @{namespace.begin}()
    @{controlling.answer}(task, found, options.refused, options.described)
  end
  request = found.list[1]
  return request and { request.number, request.what, request.detail } or nil
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== audit
--- Returns the audit entries after an entry. An audit entry records who changed what: settings, limits, priorities, pauses, drains, cancels, retries, moves, deletions, bulk actions, graphs and schedules. With ${TICK}by${TICK}, ${TICK}what${TICK} or ${TICK}on${TICK}, returns only matching entries among the next ${TICK}limit${TICK} entries.
-- @args now after limit
-- @options by what on
-- @reply the last entry examined (${TICK}after${TICK} again if there is none), 1 if entries right after ${TICK}after${TICK} have been trimmed and may have been missed, then for each change: entry, at, by, what, of, on, before, after, detail
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local after, limit = @{contract.arguments}()
  local options = @{args.options}()
  return @{streams.page}(@{audit.key}(), after, limit, function(v)
    return (options.by or v[4]) == v[4] and (options.what or v[6]) == v[6] and (options.on or v[10]) == v[10]
  end)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== bulk
--- Applies an action to all tasks of a queue that match the options, oldest first. A call examines up to 300 tasks and changes up to ${TICK}limit${TICK} of them.
-- @args now queue action cursor limit
-- @role administrator
-- @options prefix status tag method key group from to reason force at_once fresh into priority signal by request
-- @reply next cursor (0 at the end), number of tasks examined, changed and refused
-- @errors TOOBIG
-- @noted STATE STOPPING DUPLICATE CLOSED TOOMANY UPSTREAM OVERDUE

local cold
@args.at
@args.next
@controlling.KINDS
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  local ACTIONS = {
    cancel = { @{cancelling.plan}, @{cancelling.cancel}, reason = true, force = true, at_once = true },
    retry = { @{retrying.plan}, @{retrying.retry}, fresh = true, into = true },
    delete = { @{deleting.plan}, @{deleting.delete} },
    purge = { @{deleting.plan}, @{deleting.delete} },
    move = { @{moving.plan}, @{moving.move}, into = true },
    prioritise = { @{prioritising.plan}, @{prioritising.prioritise}, priority = true },
    hold = { @{holding.plan}, @{holding.hold}, by = true },
    unhold = { @{holding.plan_release}, @{holding.release}, by = true },
    suspend = { @{controlling.plan}, @{controlling.ask}, by = true },
    unsuspend = { @{controlling.plan}, @{controlling.ask}, by = true },
    signal = { @{controlling.plan}, @{controlling.ask}, signal = true, by = true },
    requeue = { @{requeuing.plan}, @{requeuing.requeue}, by = true },
  }

  @{namespace.open}()
  local queue, action, cursor, limit = @{contract.arguments}()
  local act = ACTIONS[action]
  local options = @{args.options}()
  for _, name in ipairs({ 'reason', 'force', 'at_once', 'fresh', 'into', 'priority', 'signal' }) do
    if options[name] ~= nil and not act[name] then
      @{reply.fail}('BADARG', 'this action does not take the option ' .. name)
    end
  end
  if options.into == queue or action == 'move' and not options.into
    or action == 'prioritise' and not options.priority or action == 'signal' and not options.signal then
    @{reply.fail}('BADARG', 'move needs the option into, another queue, prioritise the option priority, and signal the'
      .. ' option signal')
  end
  @{requests.replay}('bulk', options.request)
  local spec = {
    reason = options.reason or '', force = options.force, at_once = options.at_once, fresh = options.fresh,
    queue = options.into, priority = options.priority, detail = options.signal, by = act.by and options.by, what = action,
    elsewhere = action == 'retry' and options.into and @{retrying.plan_elsewhere} or nil,
    waiting = action == 'purge', planned = {}, lists = {}, entries = 0,
  }

  @{namespace.check_slot}(@{namespace.prefix} .. 'unmoved')
  local chosen = @{search.chosen}(queue, options)
  local till = cursor and cursor.till or (tonumber(@{namespace.now}) < (tonumber(chosen.high) or math.huge) and @{namespace.now}
    or chosen.high)
  local page, after = @{search.page}(chosen.index, { cursor = cursor, score = chosen.low }, 300)
  local tasks, looked, refused = {}, 0, 0
  for i = 1, #page, 2 do
    if tonumber(page[i + 1]) > tonumber(till) then
      after = '0'
      break
    end
    looked = looked + 1
    local task = @{search.matches}(page[i], chosen) and @{actions.find}(page[i])
    if task then
      if act[1](task, spec) then
        refused = refused + 1
      elseif task.to then
        tasks[#tasks + 1] = task
      end
    end
    if (#tasks == limit or spec.entries > 20000) and (i < #page - 1 or after ~= '0') then
      after = @{search.after}(page, i)
      break
    end
  end
  if #tasks > 0 then
    local asked = { action }
    for i = @{args.at} + 1, #ARGV, 2 do
      if ARGV[i] ~= 'request' and ARGV[i] ~= 'by' then
        asked[#asked + 1] = ARGV[i] .. '=' .. ARGV[i + 1]
      end
    end
    @{audit.plan}()
    @{actions.run}(act[2], tasks, spec)
    @{audit.add}(options.by, 'bulk', 'queue', queue, '', tostring(#tasks), table.concat(asked, ' '))
  end
  return @{requests.keep}({ after == '0' and '0' or after .. '/' .. till, looked, #tasks, refused })
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== cancel
--- Cancels a task. If an attempt holds the task, its owner is ordered to stop it, or with ${TICK}force${TICK} to kill it. With ${TICK}at_once${TICK} the task is cancelled immediately, even if its program is still running. With ${TICK}skip${TICK} it was not needed: its graph counts it as skipped.
-- @args now id reason
-- @role client
-- @options force at_once skip by request
-- @reply ${TICK}cancelled${TICK}, or ${TICK}cancelling${TICK} if its owner must stop it first
-- @errors NOTASK STATE TOOBIG

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@record.held
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, reason = @{contract.arguments}()
  local spec = @{args.options}()
  @{requests.replay}('cancel', spec.request)
  spec.reason, spec.what = reason, 'cancel'

  local task = @{actions.one}(id, @{cancelling.plan}, @{cancelling.cancel}, spec)
  return @{requests.keep}(@{record.held}(task) and not @{cancelling.frees}(task, spec) and 'cancelling' or 'cancelled')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== cancel_graph
--- Cancels all unfinished tasks of a graph. With ${TICK}task${TICK}, cancels only this task and the tasks that need it, directly or indirectly. ${TICK}run_deferred${TICK} does the work in steps. Outcomes that owners of these tasks report later are discarded.
-- @args now graph reason
-- @role client
-- @options task force by request
-- @reply ${TICK}cancelling${TICK}
-- @errors NOTASK TOOBIG

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, reason = @{contract.arguments}()
  local options = @{args.options}()
  @{requests.replay}('cancel_graph', options.request)
  @{graphs.require}(id, { options.task })
  @{graphs.plan_walk}(id)
  @{audit.plan}()
  @{namespace.begin}()
  local more = {}
  if options.task then
    more = { 'task', options.task }
  end
  if options.force then
    more[#more + 1], more[#more + 2] = 'force', '1'
  end
  @{graphs.begin_walk}(id, options.task and 'mark_cancel' or 'cancel', 'reason', reason, unpack(more))
  @{audit.add}(options.by, 'cancel_graph', 'graph', id, '', 'cancelling', reason)
  return @{requests.keep}('cancelling')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== changes
--- Returns the changes of tracked tasks after an entry, in all queues: transitions, progress, checkpoints, requests to cancel, requeues, notes, edits, and when tracking began and ended. With ${TICK}id${TICK}, returns only changes of this task among the next ${TICK}limit${TICK} entries.
-- @args now after limit
-- @options id
-- @reply the last entry examined (${TICK}after${TICK} again if there is none), 1 if entries right after ${TICK}after${TICK} have been trimmed and may have been missed, then for each change: entry, id, queue, what, from, to, attempt, at, by, why, text
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local after, limit = @{contract.arguments}()
  local only = @{args.options}().id
  return @{streams.page}(@{tracking.key}(), after, limit, function(v)
    return not only or v[2] == only
  end, 10)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== checkpoint
--- Stores a checkpoint, from which the next attempt continues.
-- @args now id token checkpoint
-- @role worker
-- @options max_bytes
-- @reply ${TICK}kept${TICK}
-- @errors LOST TOOBIG

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@fence.task
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, token, checkpoint = @{contract.arguments}()
  @{args.bytes}(checkpoint, @{args.options}().max_bytes or 1048576, 'checkpoint')
  local task, stalled_losses = @{fence.task}(id, token, '', 'stalled_losses')
  @{fence.alive}(task)
  local told = @{tracking.plan_value}(task, 'checkpoint', checkpoint)
  @{namespace.begin}()
  redis.call('HSET', @{namespace.prefix} .. 'task_' .. id, 'checkpoint', checkpoint, 'checkpointed', @{namespace.now})
  if stalled_losses then
    redis.call('HDEL', @{namespace.prefix} .. 'task_' .. id, 'stalled_losses')
  end
  if told then
    @{tracking.note}(task, 'checkpoint', task.node)
  end
  return 'kept'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== complete
--- Ends an attempt with its result. The task is complete, or continues with its next step in another queue.
-- @args now id token result
-- @role worker
-- @options max_bytes cost next parameters eta unset title submitter method command priority max_failures backoff delay max_delay jitter max_losses lost_delay max_releases lease key weight needs limits unique unique_until tags deadline max_run warn no_progress grace nice notify log_bytes trace steps
-- @reply ${TICK}complete${TICK}; if the result was discarded: ${TICK}cancelled${TICK} if another task caused a cancel of the task, or the task was cancelled before a further step; ${TICK}failed${TICK} if the attempt was ordered to stop because of the task's deadline
-- @errors LOST TOOBIG OVERDUE NOLIMIT TOOMANY

local cold
@args.at
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@fence.task
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@state.move
@cold

local function command()
  local meta = redis.call('HMGET', @{namespace.meta}, 'clock:1', 'limits')
  do
    local clock = meta[1]
    if not clock or #KEYS ~= 1 or @{namespace.declared} and not string.find(@{namespace.meta}, '^[^_]*_meta$') then
      clock = @{namespace.check_new}()
    end
    if ARGV[1] == '' then
      local time = redis.call('TIME')
      local seconds, micros = time[1], time[2]
      if #micros < 6 then
        micros = string.format('%06d', micros)
      end
      @{namespace.now_us} = seconds * 1000000 + micros
      @{namespace.now} = seconds .. '.' .. micros
    else
      @{namespace.use_test_time}(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > @{namespace.now_us} then
      @{namespace.apply_floor}(floor)
    elseif floor + 15000000 < @{namespace.now_us} then
      @{namespace.note_gap}(floor)
    end
  end
  local id, token, result, cost, asked = ARGV[2], ARGV[3], ARGV[4], nil, nil
  if not result then
    @{args.missing}('id token result')
  end
  if ARGV[5] or #result > 1048576 then
    local options = @{args.options}(4)
    @{args.bytes}(result, options.max_bytes or 1048576, 'result')
    cost, asked = options.cost, @{steps.asked}(options)
  end

  local value_1_1
  do
    local id, token, result, cost, limited, asked, ends = id, token, result, cost, meta[2], asked
    local task, stored = @{fence.task}(id, token, 'complete cancelled discarded', 'outcome')
    local answer = not task and stored or nil
    if task and task.cancel then
      @{fence.alive}(task)
      answer = @{ending.discard}(task, cost)
    end
    if task and not answer and (asked or task.flags and string.find(task.flags, 's', 1, true)) then
      answer = @{steps.go_on}(task, result, cost, limited, asked)
    end
    if task and not answer then
      do
        local task, stored, result, cost, limited, ends = task, stored, result, cost, limited, ends
        local id, token = task.id, task.token
        local prefix, tasks = @{namespace.prefix}, '_tasks_' .. task.queue
        if task.attempt ~= '1' and (redis.call('HGET', prefix .. 'task_' .. id, 'failures') or '0') ~= '0' then
          task.forget = { 'error', 'group', 'last_error', 'last_group', 'cancel', 'requeue', task.skips }
        elseif task.skips then
          task.forget = { 'cancel', 'requeue', task.skips }
        end
        local held, ended, events = prefix .. 'reserved' .. tasks .. '_' .. task.node, prefix .. 'complete' .. tasks,
          prefix .. 'events_' .. task.queue
        local started = task.status == 'started' and prefix .. 'started' .. tasks
        do
          local task, held, started = task, held, started
          task.last = redis.call('LINDEX', held, '-1') == task.id
          if started then
            redis.call('SCARD', started)
          end
        end
        do
          local events, count, index = events, 'LLEN', ended
          redis.call('XLEN', events)
          redis.call(count, index)
        end
        if task.flags and string.find(task.flags, '[pudgeoacn]') then
          task.result = result
          @{state.plan_flags}(task, 'complete')
        end
        if limited or task.limited then
          do
            local task = task
            local queue, prefix = task.queue, @{namespace.prefix}
            if (task.limited or @{settings.get}(queue, 'concurrency'))
              and (redis.call('LLEN', @{namespace.declare}(prefix .. 'pending_tasks_' .. queue)) > 0
              or redis.call('EXISTS', @{namespace.declare}(prefix .. 'pending_ranked_tasks_' .. queue)) == 1) then
              @{wakeups.plan}(queue)
              task.wakes = true
            end
          end
        end
        if task.cancel or task.requeue then
          @{orders.plan}(task.queue)
        end
        local may, role = redis.acl_check_cmd, @{namespace.prefix} .. 'WORKER'
        if task.flags or task.cancel or task.requeue or task.forget then
          @{rights.require}()
        elseif may and not (may('HSET', role, '', '') and may('HDEL', @{namespace.meta}, '')
          and may('XADD', events, '*', '', '') and (not started or may('SREM', started, ''))
          and (not task.last or may('RPOPLPUSH', held, ended))
          and (task.last or may('LREM', held, '', '') and may('LPUSH', ended, ''))
          and (not task.wakes or may('LPUSH', prefix .. 'wake_' .. task.queue, ''))) then
          @{rights.require}()
        end
        if @{namespace.declared} then
          @{namespace.begin_declared}(prefix .. 'leases_' .. task.queue, held, events, ended, started or held)
        end
        if cost then
          @{state.move}(task, 'complete', 'complete', task.node,
            'ended', token, 'outcome', 'complete', 'result', result, 'cost', cost, 'cost_of', token)
        elseif stored then
          @{state.move}(task, 'complete', 'complete', task.node, 'ended', token, 'outcome', 'complete', 'result', result)
        else
          @{state.move}(task, 'complete', 'complete', task.node, 'ended', token, 'result', result)
        end
        if ends and started then
          ends.written = task
        end
      end
    end
    if ends and task and task.readied then
      ends.back = true
    end
    value_1_1 = answer or 'complete', not task
  end
  local answer = value_1_1
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== configure
--- Sets a setting of a queue, or with queue ${TICK}*${TICK} the default for all queues. An empty value removes the setting.
-- @args now queue name value
-- @role administrator
-- @options by
-- @reply ${TICK}configured${TICK}
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, name, value = @{contract.arguments}()
  local by = @{args.options}().by
  local field = queue == '*' and 'settings' or 'settings:' .. queue
  if not @{args.among}(name, ' ageing audit backoff closed concurrency delay events forget_after grace graph_bytes history input_bytes jitter keep key_concurrency key_rate lease log_bytes logs_bytes lost_delay max_bytes max_delay max_failures max_losses max_releases max_uncounted notify rate retain statistics ') then
    @{reply.fail}('BADARG', @{args.named}('unknown setting', name) .. ': the contract lists all settings')
  elseif value ~= '' then
    @{contract.setting}(name, value, 'the setting ' .. name)
  end
  if queue ~= '*' and @{args.among}(name, ' logs_bytes graph_bytes audit ') then
    @{reply.fail}('BADARG', name .. ' is for all queues together: set it with the queue *')
  end

  local found = redis.call('HMGET', @{namespace.meta}, field, 'limits')
  local rate, begins, kept = string.find(name, 'rate$'), nil, {}
  for other, set in string.gmatch(found[1] or '', '(%S+)=(%S+)') do
    if other ~= name and other ~= name .. '_since' then
      kept[#kept + 1] = other .. '=' .. set
    end
  end
  if value ~= '' then
    kept[#kept + 1] = name .. '=' .. value
    local since = @{settings.find}(found[1], name .. '_since')
    if rate and not @{settings.find}(found[1], name) then
      begins = queue == '*' or not @{settings.get}(queue, name)
      since = string.format('%.0f', begins and @{namespace.now_us} or @{settings.since}(queue, name))
    end
    kept[#kept + 1] = since and name .. '_since=' .. since or nil
  end
  if queue ~= '*' then
    @{wakeups.plan}(queue)
  end
  local limit = rate or string.find(name, 'concurrency')
  local before = @{settings.find}(found[1], name) or ''
  @{audit.plan}()
  @{namespace.begin}()
  @{namespace.write_when_full}(@{namespace.meta})
  if begins then
    do
      local us = string.format('%.0f', @{namespace.now_us})
      redis.call('HSET', @{namespace.meta}, 'clock:1', us)
      if @{namespace.gap} then
        redis.call('HSET', @{namespace.meta}, 'gap', string.format('%.0f', @{namespace.gap}))
      end
    end
  end
  if #kept > 0 then
    redis.call('HSET', @{namespace.meta}, field, table.concat(kept, ' '))
  else
    redis.call('HDEL', @{namespace.meta}, field)
  end
  if limit and queue == '*' and before ~= value then
    redis.call('HINCRBY', @{namespace.meta}, 'limits', 1)
  elseif limit and not found[2] then
    redis.call('HSET', @{namespace.meta}, 'limits', '1')
  end
  if limit and queue ~= '*' then
    redis.call('HSET', @{namespace.meta}, 'sweep:' .. queue, '0')
  end
  if queue ~= '*' and (limit or name == 'ageing') then
    do
      local queue = queue
      local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
      local value_2_1
      do
        local queue, idle, sets = queue, idle[queue], idle['*']
        if idle then
          redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
        end
        if sets then
          do
            local queue = queue
            local ready = @{namespace.prefix} .. 'ready'
            if not @{namespace.declared} or @{namespace.is_here}(ready) then
              redis.pcall('ZADD', ready, '0', queue)
            end
          end
          if sets ~= '' then
            sets = @{wakeups.wake_sets}(sets, queue)
          end
        end
        redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
        value_2_1 = sets
      end
      local sets = value_2_1
      idle[queue], idle['*'] = nil, sets
    end
  end
  if before ~= value then
    @{audit.add}(by, 'configure', 'queue', queue, before, value, name)
  end
  return 'configured'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== counts
--- Counts the tasks of a queue in each state. The time of a call grows with the number of listeners.
-- @args now queue
-- @reply name and number in turn: each state, in the order of its life, then ${TICK}listeners${TICK}
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.counts
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue = @{contract.arguments}()
  local held = 0
  for _, listener in ipairs(redis.call('SMEMBERS', @{namespace.key}('listeners', queue))) do
    held = held + redis.call('LLEN', @{namespace.key}('reserved_tasks', queue .. '_' .. listener))
  end
  local started = redis.call('SCARD', @{namespace.key}('started_tasks', queue))
  return @{contract.counts}(queue, math.max(0, held - started), started, 'listeners', @{listeners.count}(queue).present)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== delete
--- Deletes a finished task with its log and history.
-- @args now id
-- @role client
-- @options by request
-- @reply ${TICK}deleted${TICK}
-- @errors NOTASK STATE

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id = @{contract.arguments}()
  local options = @{args.options}()
  @{requests.replay}('delete', options.request)

  @{actions.one}(id, @{deleting.plan}, @{deleting.delete}, { by = options.by, what = 'delete' })
  return @{requests.keep}('deleted')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== delete_queue
--- Removes a queue that has no tasks, no listeners and no schedules, with its settings, limits, events and statistics.
-- @args now queue
-- @role administrator
-- @options by request
-- @reply ${TICK}deleted${TICK}
-- @errors NOQUEUE NOTEMPTY

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  local HOLDS = ' ZCARD:waiting_tasks ZCARD:scheduled_tasks ZCARD:scheduled_ranked_tasks LLEN:pending_tasks ZCARD:pending_ranked_tasks LLEN:held_tasks SCARD:started_tasks LLEN:complete_tasks LLEN:failed_tasks LLEN:cancelled_tasks ' .. 'ZCARD:tasks ZCARD:leases SCARD:listeners '
  local REMAINS = { 'events', 'wake', 'orders', 'seen', 'suspects', 'tags', 'groups', 'needs', 'ranked_tasks', 'turns',
    'places', 'limits',
    'delayed', 'rate', 'unique', 'timed', 'has', 'aggregate', 'days', 'claims' }

  @{namespace.open}()
  local queue = @{contract.arguments}()
  local options = @{args.options}()
  @{requests.replay}('delete_queue', options.request)
  for command, kind in string.gmatch(HOLDS, '(%u+):(%l[%l_]*)') do
    if @{namespace.probe}(command, @{namespace.key}(kind, queue)) > 0 then
      @{reply.fail}('NOTEMPTY', 'the queue has tasks or listeners: purge it and stop its workers first')
    end
  end
  local names
  local from = 0
  repeat
    names = redis.call('ZRANGE', @{namespace.declare}(@{namespace.prefix} .. 'schedules'), from, from + 999)
    for _, name in ipairs(names) do
      if redis.call('HGET', @{namespace.key}('schedule', name), 'queue') == queue then
        @{reply.fail}('NOTEMPTY', 'a schedule creates tasks in the queue: remove it, or give it another queue')
      end
    end
    from = from + #names
  until #names < 1000 or from >= 100000
  local queues, gone = @{namespace.prefix} .. 'queues', {}
  local fields = { 'paused:' .. queue, 'settings:' .. queue, 'ranking:' .. queue, 'sweep:' .. queue, 'swept:' .. queue,
    'drained:' .. queue }
  local known = redis.call('ZSCORE', @{namespace.declare}(queues), queue) ~= false
  @{namespace.probe}('HLEN', @{maintenance.key}())
  @{namespace.probe}('ZCARD', @{patterns.index}())
  for _, kind in ipairs(REMAINS) do
    local key = @{namespace.declare}(@{namespace.key}(kind, queue))
    known, gone[#gone + 1] = known or redis.call('EXISTS', key) == 1, key
  end
  for _, value in ipairs(redis.call('HMGET', @{namespace.meta}, unpack(fields))) do
    known = known or value ~= false
  end
  if not known then
    @{namespace.check_slot}(queues, unpack(gone))
    @{reply.fail}('NOQUEUE', 'no queue has this name: it never existed, or was deleted')
  end
  for _, date in ipairs(redis.call('ZRANGE', @{namespace.key}('days', queue), 0, 999)) do
    gone[#gone + 1] = @{namespace.declare}(@{statistics.key}(queue, date))
    gone[#gone + 1] = @{namespace.declare}(@{statistics.hosts_key}(queue, date))
  end
  local waits = @{shared_turns.plan_forget}(queue)
  @{audit.plan}()
  @{namespace.begin}()
  @{shared_turns.forget}(waits)
  redis.call('UNLINK', unpack(gone))
  redis.call('ZREM', queues, queue)
  redis.call('HDEL', @{namespace.meta}, unpack(fields))
  redis.call('HDEL', @{maintenance.key}(), queue)
  redis.call('ZREM', @{patterns.index}(), queue)
  @{audit.add}(options.by, 'delete_queue', 'queue', queue, '', 'deleted')
  return @{requests.keep}('deleted')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== depend
--- Adds upstream tasks to a task that no attempt holds. A pending or scheduled task then waits, unless all of the added tasks have already ended. The result slots of the added tasks follow the slots that the task already has.
-- @args now id inputs
-- @role client
-- @options request
-- @reply ${TICK}waiting${TICK}, or ${TICK}pending${TICK} or ${TICK}scheduled${TICK} if the task waits for nothing
-- @errors NOTASK STATE UPSTREAM CYCLE TOOMANY TOOBIG

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, wanted = @{contract.arguments}()
  local request = @{args.options}().request
  @{requests.replay}('depend', request)

  local task = @{edit_edges.task}(id)
  @{edit_edges.look}(task, wanted, @{edit_edges.look_at})
  if task.text == '' and not task.edges[1] then
    return task.status
  end
  @{edit_edges.refuse_circles}(task)
  @{edit_edges.plan}(task)
  @{namespace.begin}()
  return @{requests.keep}(@{edit_edges.run}(task))
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== describe
--- Asks the owner of a task to describe its running program: processes, open files, environment, the end of its log.
-- @args now id
-- @role client
-- @options values by request
-- @reply number of the request in this attempt; ${TICK}description${TICK} returns the answer once the field ${TICK}controlled${TICK} has reached it
-- @errors NOTASK STATE TOOMANY

local cold
@args.at
@args.next
@controlling.KINDS
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id = @{contract.arguments}()
  local spec = @{args.options}()
  @{requests.replay}('describe', spec.request)

  spec.what, spec.detail = 'describe', spec.values and 'values' or ''
  local task = @{actions.one}(id, @{controlling.plan}, @{controlling.ask}, spec)
  return @{requests.keep}(string.format('%.0f', task.controls.last))
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== description
--- Returns the owner's answer to a request of ${TICK}describe${TICK}: a JSON object. It is kept for 60 seconds.
-- @args now id token request_number
-- @reply the answer; empty if there is none, or no longer
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, token, number = @{contract.arguments}()
  @{args.plain}(id, 'id')
  token = @{args.integer}(token, 1, 9007199254740991, 'token')
  local text = redis.call('HGET', @{namespace.declare}(@{controls.described}(id)), @{controls.place}(number))
  local start = string.format('%.0f %.0f ', token, number)
  return text and string.sub(text, 1, #start) == start and string.sub(text, #start + 1) or ''
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== drain
--- Orders a listener to finish the tasks that it holds and to take no more tasks. The replies to the listener's heartbeats and reserves carry the order.
-- @args now queue listener on
-- @role administrator
-- @options by
-- @reply ${TICK}draining${TICK}, or ${TICK}listening${TICK}
-- @errors NOLISTENER

local cold
@args.at
@args.next
@namespace.meta
@listeners.plan_drain
@listeners.drained
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, listener, on = @{contract.arguments}()
  local by = @{args.options}().by
  @{listeners.require}(queue, listener)
  @{orders.plan}(queue)
  local known = redis.call('HEXISTS', @{orders.key}(queue), 'l:' .. listener) == 1
  @{listeners.plan_drain}(queue)
  @{audit.plan}()
  @{namespace.begin}()
  @{namespace.write_when_full}(@{namespace.meta})
  if on ~= known then
    @{listeners.drained}(queue, on and 1 or -1)
  end
  if on then
    @{orders.give}(queue, 'l:' .. listener, 'drain')
  else
    @{orders.take_back}(queue, 'l:' .. listener)
  end
  local before, after = known and 'draining' or 'listening', on and 'draining' or 'listening'
  if before ~= after then
    @{audit.add}(by, 'drain', 'listener', listener, before, after, queue)
  end
  return after
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== edit
--- Changes a task that has not ended: any part of its submission except its dependencies. While an attempt holds the task, only parts that do not affect this attempt can change. The task keeps its place in the queue, unless its queue, eta or priority changes. The history of the task records each edit.
-- @args now id
-- @role client
-- @options title submitter method command priority max_failures backoff delay max_delay jitter max_losses lost_delay max_releases lease key weight needs limits unique unique_until tags deadline max_run warn no_progress grace nice notify log_bytes trace steps max_bytes parameters eta queue unset token by reason request
-- @reply its state: ${TICK}pending${TICK}, ${TICK}scheduled${TICK}, ${TICK}held${TICK}, ${TICK}waiting${TICK}, ${TICK}reserved${TICK} or ${TICK}started${TICK}
-- @errors NOTASK STATE LOST TOOBIG CLOSED DUPLICATE TOOMANY OVERDUE NOLIMIT

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id = @{contract.arguments}()
  local given = @{args.options}()
  local call = {}
  for _, name in ipairs({ 'max_bytes', 'parameters', 'eta', 'queue', 'unset', 'token', 'by', 'reason', 'request' }) do
    call[name], given[name] = given[name], nil
  end
  if not (next(given) or call.parameters or call.eta or call.queue or call.unset) then
    @{reply.fail}('BADARG', 'name what is to change: parameters, eta, queue, an option of the task, or unset')
  elseif call.unset and call.unset.eta then
    if call.eta then
      @{reply.fail}('BADARG', 'unset names an option that is given, too')
    end
    call.eta = false
  end
  @{requests.replay}('edit', call.request)

  local task = @{edits.get}(id, call.token and string.format('%.0f', call.token))
  if call.parameters then
    @{args.bytes}(call.parameters, call.max_bytes or tonumber(@{settings.get}(call.queue or task.queue, 'max_bytes')),
      'parameters')
  end
  @{edits.compare}(task, @{creation.spec}(@{edits.options}(task, given, call.unset or {})), call)
  if not task.edit then
    return task.status
  end
  local step = { queue = call.queue, by = call.by or call.token and task.node or '', reason = call.reason }
  local code, text = @{edits.plan}(task, step)
  if code then
    @{reply.fail}(code, text)
  end
  @{audit.plan}()
  @{actions.run}(@{edits.run}, { task }, step)
  @{audit.add}(step.by, 'edit', 'task', id, task.status, task.edit.to, @{edits.names_of}(task.edit))
  return @{requests.keep}(task.edit.to)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== estimate
--- Estimates when a task will start and end, from its progress (0 to 1) and the statistics of the last days. Without the option, the progress that the task has reported is used, if it is a number or contains a fraction.
-- @args now id
-- @options progress
-- @reply name and value in turn: status start end basis (${TICK}progress${TICK}, ${TICK}history${TICK} or ${TICK}both${TICK}) runs mean now; unknown values are empty
-- @errors NOTASK

local cold
@args.at
@args.next
@forecast.few
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@record.find
@record.get
@contract.arguments
@cold

local function command()
  local FAR = 10000

  @{namespace.open}()
  local id = @{contract.arguments}()
  local task = @{record.get}(id, 'eta', 'started', 'progressed', 'progress')
  local progress = @{args.options}().progress
  local queue, now = task.queue, @{namespace.now_us} / 1000000
  local total = @{forecast.recent}(queue)
  local mean, run = @{forecast.mean}(total, 'done'), @{forecast.mean}(total, 'run')
  local start, finish, basis = nil, nil, ''

  local listening = @{listeners.count}(queue).present > 0
    and redis.call('HEXISTS', @{namespace.meta}, 'paused:' .. queue) == 0
  if task.status == 'started' then
    start = tonumber(task.extra[2]) or tonumber(task.since) or now
    local took
    progress = progress or @{forecast.fraction}(task.extra[4])
    took, basis = @{forecast.duration}(total, start, progress, tonumber(task.extra[3]))
    finish = took and start + took
  elseif task.status == 'reserved' then
    start = now
  elseif task.status == 'scheduled' and listening then
    start = math.max(now, tonumber(task.extra[1]) or now) + (@{forecast.mean}(total, 'wait') or 0)
  elseif task.status == 'pending' and listening then
    if task.flags then
      @{holdings.load}(task)
    end
    local busy = redis.call('ZCARD', @{namespace.key}('leases', queue))
    local ahead = @{queue_positions.ahead}(task, FAR)
    if not ahead or task.needs and @{needs.able}(queue, task.needs) == 0 then
      start = nil
    elseif busy == 0 and ahead == 0 then
      start = now
    elseif run and ahead < FAR then
      local most = tonumber(@{settings.get}(queue, 'concurrency')) or busy
      local ends, slots = @{forecast.ends}(queue, total, busy), math.max(1, math.min(busy, most))
      local free = math.ceil(#ends * slots / math.max(1, busy))
      start = ends[#ends - free + math.floor(ahead % slots * free / slots) + 1] + math.floor(ahead / slots) * run
    end
    local earliest = start and @{ranking.earliest}(task, ahead)
    start = earliest and math.max(start, earliest / 1000000)
  end
  if start and not finish and mean and task.status ~= 'started' then
    finish, basis = start + mean, 'history'
  end
  return {
    'status', task.status, 'start', start and string.format('%.6f', start) or '',
    'end', finish and string.format('%.6f', math.max(now, finish)) or '', 'basis', basis,
    'runs', string.format('%.0f', total['done.count'] or 0),
    'mean', mean and string.format('%.6f', mean) or '', 'now', @{namespace.now},
  }
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== events
--- Returns the transitions of a queue's tasks after an event. With ${TICK}id${TICK}, returns only transitions of this task among the next ${TICK}limit${TICK} events.
-- @args now queue after limit
-- @options id
-- @reply the last event examined (${TICK}after${TICK} again if there is none), 1 if events right after ${TICK}after${TICK} have been trimmed and may have been missed, then for each transition: event, id, from, to, attempt, at, by, why, since
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, after, limit = @{contract.arguments}()
  local only = @{args.options}().id
  return @{streams.page}(@{namespace.key}('events', queue), after, limit, function(v)
    return not only or v[2] == only
  end, 8, @{event_entries.read})
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== fail
--- Ends an attempt with an error. The task is retried after a growing delay, until it has failed too often.
-- @args now id token error
-- @role worker
-- @options group max_bytes again final cost
-- @reply ${TICK}failed${TICK}, ${TICK}retrying${TICK}, or ${TICK}cancelled${TICK} if its cancel was requested, or if a newer task has replaced it
-- @errors LOST TOOBIG

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@fence.task
@ending.fail
@event_entries.id
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, token, text = @{contract.arguments}()
  local options = @{args.options}()
  return @{ending.fail}(id, token, text, options)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== find
--- Finds the ids of a queue's tasks that match all options, newest first: by creation, or with ${TICK}group${TICK} and without ${TICK}tag${TICK} by failure. A call examines up to 200 tasks. The queue ${TICK}*${TICK} stands for all queues, one after another.
-- @args now queue cursor limit
-- @options prefix status tag method key group from to
-- @reply next cursor (0 at the end), then ids
-- @errors TOOBIG

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, cursor, limit = @{contract.arguments}()
  local options = @{args.options}()
  if cursor and (queue == '*') ~= (cursor.scan ~= nil) then
    @{reply.fail}('BADARG', 'the cursor must be 0 or what the previous call for this queue returned')
  elseif queue == '*' then
    return @{search.everywhere}(options, cursor or { scan = '0', queue = '' }, limit)
  end
  local answer = { '0' }
  answer[1] = @{search.collect}(@{search.chosen}(queue, options), cursor, limit, 200, answer)
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== finish_and_reserve
--- Ends attempts like ${TICK}complete${TICK}, ${TICK}fail${TICK} or ${TICK}release${TICK}, and takes the next tasks for the listener like ${TICK}reserve${TICK}, in one call. A refused end does not affect the rest.
-- @args now listener queues limit count (ending id token body group again cost)*count
-- @role worker
-- @options pid lease request woken order weights max_bytes
-- @reply the verdicts on the ends, separated by spaces: the reply of the command for this end, or an error code; then the code of the error that prevented taking tasks, else an empty string; then for each task the reply of reserve
-- @errors TOOBIG NOLISTENER DRAINING
-- @noted LOST

local cold
@args.at
@namespace.meta
@namespace.prefix
@namespace.declared
@fence.task
@event_entries.id
@namespace.shared_tables
@namespace.now
@state.move
@ending.complete
@ending.fail
@ending.release
@ending.read
@ending.one
@ending.all
@namespace.gap
@namespace.now_us
@reserving.start
@reserving.more
@reserving.full
@cold

local function command()
  local listener, names, limit, count = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
  if not count then
    @{args.missing}('listener queues limit count')
  end
  limit = limit == '1' and 1 or @{args.integer}(limit, 1, 100, 'limit')
  count = count == '1' and 1 or @{args.integer}(count, 0, 100, 'count')
  local last = 5 + 7 * count
  if not ARGV[last] then
    @{reply.fail}('BADARG', 'missing argument: ending, id, token, body, group, again or cost')
  end
  local queues, meta
  if #names <= 128 and string.find(names, '^[%w._:@-]+$') then
    queues = { names }
    meta = redis.call('HMGET', @{namespace.meta}, 'clock:1', 'paused:' .. names, 'ranking:' .. names,
      'settings:' .. names, 'drained:' .. names, 'limits', 'settings', 'token')
  else
    queues = @{args.queues_or_none}(names, 'queues')
    meta = redis.call('HMGET', @{namespace.meta}, 'clock:1', @{reserving.fields}(queues))
  end
  do
    local clock = meta[1]
    if not clock or #KEYS ~= 1 or @{namespace.declared} and not string.find(@{namespace.meta}, '^[^_]*_meta$') then
      clock = @{namespace.check_new}()
    end
    if ARGV[1] == '' then
      local time = redis.call('TIME')
      local seconds, micros = time[1], time[2]
      if #micros < 6 then
        micros = string.format('%06d', micros)
      end
      @{namespace.now_us} = seconds * 1000000 + micros
      @{namespace.now} = seconds .. '.' .. micros
    else
      @{namespace.use_test_time}(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > @{namespace.now_us} then
      @{namespace.apply_floor}(floor)
    elseif floor + 15000000 < @{namespace.now_us} then
      @{namespace.note_gap}(floor)
    end
  end

  local call = {
    listener = listener, queues = queues, meta = meta, limit = limit > 1 and limit or nil, found = nil,
    lease = nil, request = nil, pid = nil, woken = nil, full = nil, refusal = nil, ended = false,
    written = nil,
  }
  local most = 1048576
  for i = last + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if name == 'request' and value and not call.request and #value <= 128
      and string.find(value, '^[%w._:@-]+$') then
      call.request = value
    elseif name == 'pid' and value and not call.pid and string.find(value, '^[1-9]%d?%d?%d?%d?%d?$') then
      call.pid = value
    else
      local options = @{args.options}(last)
      most = options.max_bytes or most
      call.lease, call.request, call.woken = options.lease, options.request, options.woken
      call.pid = options.pid and string.format('%d', options.pid)
      call.order, call.weights = @{attempt.order}(queues, options.order, options.weights), options.weights
      break
    end
  end
  if #listener > 200 or not string.find(listener, '^[%w.:-]+_%d+$') then
    @{args.listener}(listener)
  end
  local ends = @{ending.read}(count, most)

  call.ended = count > 0
  call.full = count > 0 and queues[1] and @{reserving.full}(queues[1])
  local verdicts = table.concat(@{ending.all}(ends, listener, meta[#meta - 2]), ' ')
  if queues[1] then
    call.written, call.stale = ends.written, ends.stale
    if ends.back then
      call.meta = redis.call('HMGET', @{namespace.meta}, 'clock:1', @{reserving.fields}(queues))
    end
    @{reserving.more}(call)
  end
  return { verdicts, call.refusal or '', unpack(call.found or {}) }
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== get
--- Returns the whole record of a task.
-- @args now id
-- @reply nil if there is no such task; else field and value in turn
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id = @{contract.arguments}()
  return @{graphs.whole}(id)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== get_many
--- Returns the records of up to 500 tasks, each with its id. The reply ends after 8 MiB: call again for the tasks that are not in it.
-- @args now count id*count
-- @reply for each task its ${TICK}id${TICK}, then field and value in turn, or ${TICK}missing${TICK} if there is no such task
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local count = @{contract.arguments}()
  local ids = {}
  for i = 1, count do
    ids[i] = @{args.plain}(@{args.next}('id'), 'id')
  end
  @{args.none}()
  local answer, at, bytes, whole = {}, 0, 0, @{graphs.whole}
  for i = 1, count do
    local fields = whole(ids[i]) or { 'missing', '1' }
    answer[at + 1], answer[at + 2] = 'id', ids[i]
    at = at + 2
    for n = 1, #fields do
      local value = fields[n]
      answer[at + n], bytes = value, bytes + #value
    end
    at = at + #fields
    if bytes > 8388608 then
      break
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== graphs
--- Lists the graphs of the namespace, newest first.
-- @args now cursor limit
-- @reply next cursor (0 at the end), then for each graph: its id, ${TICK}staging${TICK} or ${TICK}created${TICK}, the time of its last submission, its number of tasks, the number of tasks that are not deleted, how many of these are complete, failed, cancelled and skipped, its name and its tags
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local cursor, limit = @{contract.arguments}()
  local page, after = @{search.page}(@{graphs.all}(), { backwards = true, cursor = cursor, score = '+inf' }, limit)
  local answer = { after }
  for i = 1, #page, 2 do
    local v = redis.call('HMGET', @{graphs.key}(page[i]), 'state', 'created', 'total', 'left', 'complete', 'failed',
      'cancelled', 'skipped', 'name', 'tags')
    if v[1] then
      @{reply.add}(answer, page[i], v[1], v[2], v[3], v[4] or '0', v[5] or '0', v[6] or '0', v[7] or '0', v[8] or '0',
        v[9] or '', v[10] or '')
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== groups
--- Lists the groups of a queue's failures, largest first.
-- @args now queue cursor limit
-- @reply next cursor (0 at the end), then for each group: its name, its number of failed tasks, the task that failed last, and the time of that failure
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, cursor, limit = @{contract.arguments}()
  local page, after = @{search.page}(
    @{namespace.key}('groups', queue), { backwards = true, cursor = cursor, score = '+inf' }, limit)
  local answer = { after }
  for i = 1, #page, 2 do
    local last = redis.call('ZREVRANGE', @{groups.key}(queue, page[i]), 0, 0, 'WITHSCORES')
    @{reply.add}(answer, page[i], tonumber(page[i + 1]), last[1] or '', last[2] or '')
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== handshake
--- Checks the server, the schema, the eviction policy and the permissions of this user. Clients call it first.
-- @args now
-- @reply schema; server time; 1 if the namespace holds data; the eviction policy, or an empty string if this user may not read it; 1 if the namespace is for tests; and the permissions that this user lacks: ${TICK}NAME:COMMAND,COMMAND${TICK} for each command of the bundle that this user may not run, separated by spaces, and ${TICK}messages:PUBLISH${TICK} if wake-ups and orders will be late
-- @errors EVICTION SCHEMA

local cold
@args.at
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@server.info
@server.require
@cold

local function command()
  @{namespace.open}()
  @{args.none}()
  if not string.find(@{namespace.meta}, '{') then
    for slot = 1, 16 do
      redis.call('HGET', @{namespace.prefix} .. 'unmoved' .. slot, 'x')
    end
  end
  local policy = @{server.require}()
  local born = redis.call('HMGET', @{namespace.meta}, 'schema', 'test')
  return { '1', @{namespace.now}, born[1] and 1 or 0, policy, born[2] and 1 or 0, @{rights.missing}() }
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== heartbeat
--- Renews the leases of tasks that a listener holds, and returns an order for each task.
-- @args now queue listener lease count (id token)*count
-- @role worker
-- @again a later deadline
-- @reply deadline, then for each task ${TICK}continue${TICK}, ${TICK}attend${TICK}, ${TICK}cancel${TICK}, ${TICK}drain${TICK}, ${TICK}stop${TICK}, ${TICK}kill${TICK} or ${TICK}lost${TICK}
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, listener, lease, count = @{contract.arguments}()
  local first = @{args.at} + 1
  @{args.at} = first - 1 + 2 * count
  if #ARGV < @{args.at} then
    @{reply.fail}('BADARG', 'the count must be followed by an id and a token for each task')
  end
  @{args.none}()
  local deadline = string.format('%.0f', @{namespace.now_us} + lease)
  local renewal = {}
  for i = 1, count do
    local at = first + 2 * i - 2
    local id, token = ARGV[at], ARGV[at + 1]
    if #id > 128 or #token > 16 then
      @{reply.fail}('BADARG', 'an id or a token is too long')
    end
    renewal[2 * i - 1], renewal[2 * i] = deadline, id .. ' ' .. token
  end

  local given, usual, ordered, killed = @{namespace.prefix} .. 'orders_' .. queue, 'continue', {}, nil
  if redis.call('HLEN', given) > 0 then
    local common = redis.call('HMGET', given, 'l:' .. listener, 'q')
    usual = common[2] or common[1] or usual
    for i = 1, count do
      ordered[i] = 't:' .. ARGV[first + 2 * i - 2]
    end
    ordered = count > 0 and redis.call('HMGET', given, unpack(ordered)) or {}
    for i = 1, count do
      killed = killed or ordered[i] == 'kill'
    end
  end
  local registered = redis.call('SISMEMBER', @{namespace.key}('listeners', queue), listener) == 1
  @{namespace.probe}('ZCARD', @{namespace.key}('seen', queue))
  local leases = @{namespace.key}('leases', queue)
  local may, role = redis.acl_check_cmd, @{namespace.prefix} .. 'WORKER'
  if may and not (may('HSET', role, '', '') and may('ZADD', leases, '', '') and may('ZMSCORE', leases, '')) then
    @{rights.require}()
  end
  if @{namespace.declared} then
    @{namespace.begin_declared}(leases)
  end

  redis.call('ZREM', leases, '')
  do
    local us = @{namespace.now_us}
    redis.call('HSET', @{namespace.meta}, 'clock:1', us)
    if @{namespace.gap} then
      redis.call('HSET', @{namespace.meta}, 'gap', string.format('%.0f', @{namespace.gap}))
    end
  end
  local moved = 0
  if killed then
    local others = {}
    for i = 1, count do
      if ordered[i] ~= 'kill' then
        others[#others + 1], others[#others + 2] = renewal[2 * i - 1], renewal[2 * i]
      end
    end
    if #others > 0 then
      redis.call('ZADD', leases, 'XX', unpack(others))
    end
  elseif count > 0 then
    moved = redis.call('ZADD', leases, 'XX', 'CH', unpack(renewal))
  end
  local held
  if moved < count then
    local members = {}
    for i = 1, count do
      members[i] = renewal[2 * i]
    end
    held = redis.call('ZMSCORE', leases, unpack(members))
  end
  if registered then
    @{listeners.seen}(queue, listener)
  end
  local answer = { @{namespace.now_us} + lease }
  for i = 1, count do
    answer[i + 1] = held and not held[i] and 'lost' or ordered[i] or usual
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== history
--- Returns the transitions and notes of a task after a number: first the transitions that are kept of earlier attempts, then the transitions in its record.
-- @args now id after limit
-- @reply number of the last transition (${TICK}after${TICK} again if there is none), then for each transition or note: its number, at, from, to, attempt, by, why; the outcome, group, beginning of the error and cost of an attempt that ended; the text and data of a note
-- @errors NOTASK

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, after, limit = @{contract.arguments}()
  local v = redis.call('HMGET', @{namespace.key}('task', id), 'queue', @{history.fields}())
  if (v[1] or '') == '' or not v[2] then
    @{namespace.check_slot}(@{namespace.key}('task', id))
    @{reply.fail}('NOTASK', 'no task has this id: it was never submitted, or was deleted, or removed by retention')
  end
  local key = @{namespace.key}('history', id)
  local answer = { string.format('%.0f', after) }
  local function add(number, fields)
    answer[1] = string.format('%.0f', number)
    answer[#answer + 1] = answer[1]
    for i = 1, 12 do
      answer[#answer + 1] = fields[i] or ''
    end
  end
  local count = 0
  local number, since, reached, nth, _, cause = @{history.last}(key, v[3])
  if number > after then
    for _, entry in ipairs(redis.call('XRANGE', key, string.format('(%.0f-0', after), '+', 'COUNT', limit)) do
      local kept = {}
      for i = 2, #entry[2], 2 do
        kept[i / 2] = entry[2][i]
      end
      add(tonumber(string.match(entry[1], '^%d+')), kept)
      count = count + 1
    end
  end
  for i, fields in ipairs(@{history.derive}({ unpack(v, 2, 18) }, since, reached, nth, cause)) do
    if number + i > after and count < limit then
      add(number + i, fields)
      count = count + 1
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== hold
--- Holds a pending or scheduled task: it does not start until ${TICK}unhold${TICK}.
-- @args now id
-- @role client
-- @options by request
-- @reply ${TICK}held${TICK}
-- @errors NOTASK STATE

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id = @{contract.arguments}()
  local spec = @{args.options}()
  @{requests.replay}('hold', spec.request)

  spec.what = 'hold'
  @{actions.one}(id, @{holding.plan}, @{holding.hold}, spec)
  return @{requests.keep}('held')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== limit
--- Sets the concurrency and the rate of one key of a queue, in place of the queue's settings; ${TICK}-${TICK} stands for the queue's setting. With queue ${TICK}*${TICK}, sets a shared limit: tasks of any queue count against it if they list it in their option ${TICK}limits${TICK}; ${TICK}-${TICK} stands for no bound. A shared limit with neither bound is removed; an unused shared limit is removed after ${TICK}expires${TICK}.
-- @args now queue key concurrency rate
-- @role administrator
-- @options by expires
-- @reply ${TICK}limited${TICK}
-- @errors TOOMANY NOTEMPTY

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, key, concurrency, rate = @{contract.arguments}()
  local options = @{args.options}()
  local by, expires = options.by, options.expires
  if concurrency ~= '-' then
    @{contract.setting}('concurrency', concurrency, 'concurrency')
  end
  if rate ~= '-' then
    @{contract.setting}('rate', rate, 'rate')
  end
  if queue == '*' then
    return @{shared_define.define}(key, concurrency, rate, expires, by)
  elseif expires then
    @{reply.fail}('BADARG', 'expires is for a shared limit')
  end
  local own_limits, unset = @{namespace.key}('limits', queue), concurrency == '-' and rate == '-'
  if not unset and redis.call('HEXISTS', own_limits, key) == 0 and redis.call('HLEN', own_limits) >= 100000 then
    @{reply.fail}('TOOMANY', 'this queue has ' .. 100000 .. ' keys with limits of their own already')
  end
  local before, after = redis.call('HGET', own_limits, key) or '- -', concurrency .. ' ' .. rate
  local fresh = rate ~= '-' and string.match(before, '(%S+)$') == '-' and not @{settings.get}(queue, 'key_rate')
  @{fairness.plan_refresh}(queue, { key })
  @{wakeups.plan}(queue)
  @{audit.plan}()
  @{namespace.begin}(nil, own_limits)
  if unset then
    redis.call('HDEL', own_limits, key)
  else
    redis.call('HSET', own_limits, key, after)
  end
  if fresh then
    redis.call('UNLINK', @{limits.starts_key}(queue, key))
  end
  @{fairness.refresh_all}(queue, key)
  do
    local queue = queue
    local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
    local value_2_1
    do
      local queue, idle, sets = queue, idle[queue], idle['*']
      if idle then
        redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
      end
      if sets then
        do
          local queue = queue
          local ready = @{namespace.prefix} .. 'ready'
          if not @{namespace.declared} or @{namespace.is_here}(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if sets ~= '' then
          sets = @{wakeups.wake_sets}(sets, queue)
        end
      end
      redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
      value_2_1 = sets
    end
    local sets = value_2_1
    idle[queue], idle['*'] = nil, sets
  end
  if before ~= after then
    @{audit.add}(by, 'limit', 'key', queue .. '/' .. key, before, after)
  end
  return 'limited'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== limits
--- Lists the keys of a queue that have limits of their own, or with ${TICK}used 1${TICK} the keys whose tasks are running. With queue ${TICK}*${TICK}, lists the shared limits.
-- @args now queue cursor limit
-- @options used
-- @reply next cursor (0 at the end), then for each key or shared limit: its name, its places (${TICK}-${TICK}: the queue's setting), its rate (also ${TICK}-${TICK}), its places in use, the number of unfinished tasks that list the shared limit, and its ${TICK}expires${TICK}; the last two are ${TICK}-${TICK} if they do not apply
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, cursor, limit = @{contract.arguments}()
  local used = @{args.options}().used
  local own_limits, held, prefix = @{namespace.key}('limits', queue), @{namespace.key}('places', queue), 'k:'
  if queue == '*' then
    own_limits, held, prefix = @{shared_limits.key}('limits'), @{shared_limits.key}('places'), ''
  end
  local page = redis.call('HSCAN', used and held or own_limits, cursor, 'COUNT', limit)
  local answer = { page[1] }
  for i = 1, #page[2], 2 do
    local key = used and string.match(page[2][i], '^' .. prefix .. '(.+)$') or not used and page[2][i]
    if key then
      local own, rate = string.match(redis.call('HGET', own_limits, key) or '- -', '^(%S+) (%S+)$')
      local tasks, expires = '-', '-'
      if queue == '*' then
        tasks = redis.call('HGET', @{shared_limits.key}('tasks'), key) or '0'
        expires = redis.call('HGET', @{shared_limits.key}('expires'), key) or '-'
      end
      @{reply.add}(answer, key, own, rate, redis.call('HGET', held, prefix .. key) or '0', tasks, expires)
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== list
--- Lists the ids of a queue's tasks in one state, or in ${TICK}all${TICK} states. Pending tasks are listed by priority, then in the order in which they became pending, regardless of limits, needs, turns of keys and ageing; scheduled tasks by eta; reserved and started tasks in no order; ${TICK}all${TICK} by creation; tasks in other states newest first.
-- @args now queue status cursor limit
-- @reply next cursor (0 at the end), then ids
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, status, cursor, limit = @{contract.arguments}()
  cursor = status == 'reserved' and @{reservations.cursor}(cursor) or @{args.cursor}(cursor)
  local from = tonumber(cursor)

  local ids, after = {}, nil
  if status == 'pending' then
    ids = @{queue_positions.list}(queue, from, limit)
  elseif status == 'scheduled' then
    ids = @{queue_positions.page}(@{queue_positions.scheduled_order}('scheduled_tasks', queue),
      @{queue_positions.scheduled_order}('scheduled_ranked_tasks', queue), from, limit)
  elseif status == 'waiting' then
    ids = redis.call('ZREVRANGE', @{namespace.key}('waiting_tasks', queue), from, from + limit - 1)
  elseif status == 'all' then
    ids = redis.call('ZRANGE', @{namespace.key}('tasks', queue), from, from + limit - 1)
  elseif status == 'started' then
    local page = redis.call('SSCAN', @{namespace.key}('started_tasks', queue), cursor, 'COUNT', limit)
    after = page[1]
    for _, entry in ipairs(page[2]) do
      ids[#ids + 1] = string.match(entry, '(%S*)$')
    end
  elseif status == 'reserved' then
    after = @{reservations.page}(queue, cursor, limit, ids)
  else
    ids = redis.call('LRANGE', @{namespace.key}(status .. '_tasks', queue), from, from + limit - 1)
  end
  table.insert(ids, 1, after or (#ids < limit and '0' or string.format('%.0f', from + limit)))
  return ids
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== list_held
--- Lists the tasks that a listener holds, newest first, and the tasks that it claimed from other listeners. Finds a reservation whose reply was lost.
-- @args now queue listener
-- @reply for each task (500 at most): id status token attempt deadline pid
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, listener = @{contract.arguments}()
  local answer, known = {}, @{namespace.key}('claims', queue)
  local function add(id, v)
    local deadline = v[2] and redis.call('ZSCORE', @{namespace.key}('leases', queue), id .. ' ' .. v[2])
    @{reply.add}(answer, id, v[1] or '', v[2] or '', v[3] or '0', deadline or '', v[4] or '')
  end
  local function read(id)
    return redis.call('HMGET', @{namespace.prefix} .. 'task_' .. id,
      'status', 'token', 'attempt', 'pid', 'node', 'reclaimed_node')
  end
  local ids = redis.call('LRANGE', @{namespace.key}('reserved_tasks', queue .. '_' .. listener), 0, 499)
  for _, id in ipairs(ids) do
    add(id, read(id))
  end
  if #ids < 500 then
    for _, member in ipairs(redis.call('ZRANGE', known,
      '[' .. listener .. ' ', '(' .. listener .. '!', 'BYLEX', 'LIMIT', 0, 500 - #ids)) do
      local id = string.match(member, ' (%S+)$')
      local v = read(id)
      if (v[1] == 'reserved' or v[1] == 'started') and v[6] == listener and v[5] ~= listener then
        add(id, v)
      end
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== listeners
--- Lists the listeners of a queue.
-- @args now queue cursor limit
-- @reply next cursor (0 at the end), then for each listener: its id, when it was last seen, and the number of tasks that it holds
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, cursor, limit = @{contract.arguments}()
  local page = redis.call('SSCAN', @{namespace.key}('listeners', queue), cursor, 'COUNT', limit)
  local answer = { page[1] }
  for _, listener in ipairs(page[2]) do
    local seen = redis.call('ZSCORE', @{namespace.key}('seen', queue), listener)
    @{reply.add}(answer, listener, seen and @{namespace.decimal}(tonumber(seen) * 1000000) or '',
      redis.call('LLEN', @{namespace.key}('reserved_tasks', queue .. '_' .. listener)))
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== logs
--- Returns a task's log after an entry, or with ${TICK}tail${TICK} the end of the log. A page ends after 1 MiB of text.
-- @args now id after limit
-- @options tail
-- @reply id of the last entry (${TICK}after${TICK} again if there is none), then for each entry: its time, attempt, source, text and offset (empty if the sender passed none)
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  local PAGE, STEP = 1048576, 16

  @{namespace.open}()
  local id, after, limit = @{contract.arguments}()
  local tail = @{args.options}().tail
  local key = @{namespace.key}('log', id)
  local from = '(' .. after
  if tail then
    local before, size, number = '+', 0, 0
    repeat
      local entries = redis.call('XREVRANGE', key, before, '(' .. after, 'COUNT', math.min(STEP, limit - number))
      for _, entry in ipairs(entries) do
        if size < tail then
          size, number, from = size + #entry[2][8], number + 1, entry[1]
        end
        before = '(' .. entry[1]
      end
    until #entries < STEP or size >= tail or number == limit
  end
  local answer, size, number = { after }, 0, 0
  repeat
    local entries = redis.call('XRANGE', key, from, '+', 'COUNT', math.min(STEP, limit - number))
    for _, entry in ipairs(entries) do
      size = size + #entry[2][8]
      if size <= PAGE then
        number, answer[1], from = number + 1, entry[1], '(' .. entry[1]
        for i = 2, 10, 2 do
          answer[#answer + 1] = entry[2][i]
        end
      end
    end
  until #entries < STEP or size > PAGE or number == limit
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== maintenance
--- Does the next part of the maintenance of the namespace and of these queues. The parts of the namespace are ${TICK}tick${TICK} and ${TICK}run_deferred${TICK}; the parts of a queue are ${TICK}promote${TICK}, ${TICK}requeue_orphans${TICK}, ${TICK}aggregate${TICK}, ${TICK}prune${TICK} and ${TICK}repair${TICK}. The parts take turns, every two seconds, regardless of who calls. An error of one part is returned, and the rest continue.
-- @args now count queue*count
-- @role maintenance
-- @again goes on
-- @reply the part that was done, or an empty string; the amount of work done; 1 if more work is due at once; when the next work is due, in seconds; the error of the part, or an empty string; then for each cron schedule that needs more slots: its name, its recurrence, and the time after which it needs them
-- @errors
-- @noted CLOSED DUPLICATE OVERDUE STATE TOOBIG NOLIMIT TOOMANY OTHERQUEUE STOPPING UPSTREAM

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open_with
@contract.arguments
@cold

local function command()
  local meta = @{namespace.open_with}('limits', 'run', 'gap')
  local count = @{contract.arguments}()
  local queues = @{args.different_queues}(count)
  @{args.none}()
  return @{maintenance.step}(queues, meta)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== move
--- Moves a waiting task to another queue, behind the tasks that already wait there. The task keeps its time, priority, key, needs, tags and unique name.
-- @args now id queue
-- @role client
-- @options by request
-- @reply ${TICK}moved${TICK}
-- @errors NOTASK STATE CLOSED DUPLICATE TOOMANY

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, queue = @{contract.arguments}()
  local options = @{args.options}()
  @{requests.replay}('move', options.request)

  @{actions.one}(id, @{moving.plan}, @{moving.move}, { queue = queue, by = options.by, what = 'move' })
  return @{requests.keep}('moved')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== note
--- Adds a note to the history of a task, in any state. The setting ${TICK}history${TICK} bounds notes and transitions together.
-- @args now id text
-- @role client
-- @options by data request
-- @reply ${TICK}noted${TICK}
-- @errors NOTASK TOOBIG

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@record.find
@record.get
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, text = @{contract.arguments}()
  local options = @{args.options}()
  @{requests.replay}('note', options.request)

  local task = @{record.get}(id, 'notes')
  @{history.plan}(task)
  @{tracking.plan_note}(task)
  @{namespace.begin}()
  redis.call('HSET', task.key, 'notes', string.format('%.0f', tonumber(task.extra[1] or 0) + 1))
  local event = { to = task.status, why = 'note', by = options.by or '', at = @{record.time}(task),
    note = { 'note', text, 'data', options.data or '' } }
  @{history.add}(task, event, '', '', '', '')
  @{tracking.note}(task, 'note', options.by, text)
  return @{requests.keep}('noted')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== notices
--- Lists the notices of a task or a graph, oldest first: the last 64. The open notices of a deleted task are listed until they are delivered.
-- @args now of subject
-- @reply for each notice its number, its target, the event, its time, the number of attempts of the task, its stage, the number of tries, and the time and text of the last answer of its target
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local owner = @{notices.owner}(@{contract.arguments}())
  local found, low, high = @{notices.read}(owner)
  local answer = {}
  for number = low, high do
    local notice = @{notices.parse}(found, number)
    if notice then
      @{reply.add}(answer, notice.number, notice.target, notice.event, notice.at, notice.attempt, notice.stage,
        notice.tries, notice.answered, notice.answer)
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== pause
--- Stops a queue from giving out tasks. Running tasks continue; with ${TICK}stop${TICK}, heartbeats order their owners to give them back.
-- @args now queue by reason
-- @role administrator
-- @options stop
-- @reply ${TICK}paused${TICK}
-- @errors TOOBIG

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, by, reason = @{contract.arguments}()
  local stop = @{args.options}().stop
  @{orders.plan}(queue)
  local former = string.match(redis.call('HGET', @{namespace.meta}, 'paused:' .. queue) or '', '^%S+ (.*)$')
  local before, after = @{audit.flow}(queue), stop and 'stopped' or 'paused'
  @{audit.plan}()
  @{namespace.begin}()
  @{namespace.write_when_full}(@{namespace.meta})
  redis.call('HSET', @{namespace.meta}, 'paused:' .. queue, @{namespace.now} .. ' ' .. by .. ' ' .. reason)
  if stop then
    @{orders.give}(queue, 'q', 'stop')
  else
    @{orders.take_back}(queue, 'q')
  end
  if before ~= after or former ~= by .. ' ' .. reason then
    @{audit.add}(by, 'pause', 'queue', queue, before, after, reason)
  end
  return 'paused'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== pause_schedule
--- Stops a schedule from creating tasks. Slots that pass during the pause create no tasks.
-- @args now name by reason
-- @role administrator
-- @reply ${TICK}paused${TICK}
-- @errors NOSCHEDULE TOOBIG

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local name, by, reason = @{contract.arguments}()
  local schedule = @{schedules.get}(name)
  local before, former = schedule.paused and 'paused' or 'active', string.match(schedule.paused or '', '^%S+ (.*)$')
  schedule.paused = @{namespace.now} .. ' ' .. by .. ' ' .. reason
  @{schedules.plan_next}(schedule)
  @{schedules.probe}()
  @{audit.plan}()
  @{namespace.begin}()
  @{namespace.write_when_full}(schedule.key)
  @{schedules.write}(schedule, 'paused')
  if former ~= by .. ' ' .. reason then
    @{audit.add}(by, 'pause_schedule', 'schedule', name, before, 'paused', reason)
  end
  return 'paused'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== peek
--- Lists the tasks of a queue that ${TICK}reserve${TICK} would give out now, in this order, and the tasks that it would pass over, with the reason. Changes nothing. With ${TICK}listener${TICK}, the reply is for this registered listener; with ${TICK}has${TICK}, for a listener that offers this.
-- @args now queue limit
-- @options listener has
-- @reply for each task: its id; an empty string if it is given out, else the reason why it is passed over; and until when, if this is known. Tasks that are given out come first
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, limit = @{contract.arguments}()
  local options = @{args.options}()
  local look = @{peeking.begin}(queue, options.listener, options.has, limit)
  local next_task = @{peeking.next}
  local more = not look.stop
  while more and #look.given < limit do
    more = next_task(look)
  end
  local answer = {}
  for _, task in ipairs(look.given) do
    @{reply.add}(answer, task.id, '', '')
  end
  @{peeking.passed}(look, answer)
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== prioritise
--- Changes the priority of a waiting task, and puts it behind the tasks of its queue that already have this priority.
-- @args now id priority
-- @role client
-- @options by request
-- @reply ${TICK}prioritised${TICK}
-- @errors NOTASK STATE

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, priority = @{contract.arguments}()
  local options = @{args.options}()
  @{requests.replay}('prioritise', options.request)

  @{actions.one}(id, @{prioritising.plan}, @{prioritising.prioritise}, {
    priority = priority, by = options.by, what = 'prioritise',
  })
  return @{requests.keep}('prioritised')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== progress
--- Stores the progress of an attempt, for people to read.
-- @args now id token progress
-- @role worker
-- @reply ${TICK}kept${TICK}
-- @errors LOST TOOBIG

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@fence.task
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, token, progress = @{contract.arguments}()
  local task, stalled_losses = @{fence.task}(id, token, '', 'stalled_losses')
  local told = @{tracking.plan_value}(task, 'progress', progress)
  @{namespace.begin}()
  redis.call('HSET', @{namespace.prefix} .. 'task_' .. id, 'progress', progress, 'progressed', @{namespace.now})
  if stalled_losses then
    redis.call('HDEL', @{namespace.prefix} .. 'task_' .. id, 'stalled_losses')
  end
  if told then
    @{tracking.note}(task, 'progress', task.node, progress)
  end
  return 'kept'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== promote
--- Makes due scheduled tasks pending, and lets tasks start that a rate or a changed limit held back.
-- @args now queue limit
-- @role maintenance
-- @again goes on
-- @reply number of tasks promoted, 1 if more tasks are due, and when the next task is due, in seconds, or an empty string
-- @errors

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open_with
@namespace.key
@record.find
@state.move
@promotion.promote
@contract.arguments
@cold

local function command()
  local meta = @{namespace.open_with}('limits')
  local queue, limit = @{contract.arguments}()
  return @{promotion.promote}(queue, limit, meta[2])
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== prune
--- Deletes the oldest finished tasks: tasks beyond a number, and tasks older than an age. Keeps tasks whose results are still needed by other tasks. Also removes expired unique names, and the logs of tasks that ended a day ago.
-- @args now queue limit
-- @role maintenance
-- @options keep seconds
-- @again goes on
-- @reply number of tasks deleted, 1 if more tasks must be deleted
-- @errors

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@logs.index
@namespace.now_us
@namespace.now
@namespace.key
@namespace.declared
@record.find
@logs.look
@namespace.shared_tables
@namespace.gap
@namespace.open
@retention.find_tail
@retention.choose
@retention.plan
@state.move
@retention.delete
@retention.prune
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, limit = @{contract.arguments}()
  return @{retention.prune}(queue, limit, @{args.options}())
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== queues
--- Lists the queues of the namespace.
-- @args now cursor limit
-- @reply next cursor (0 at the end), then for each queue: its name; the number of listeners that take its tasks; when it was paused, by whom and why, or an empty string; and ${TICK}stop${TICK} if its running tasks are stopped
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local cursor, limit = @{contract.arguments}()
  local page = redis.call('ZRANGE', @{namespace.prefix} .. 'queues', cursor, cursor + limit - 1)
  local answer = { #page < limit and '0' or string.format('%.0f', cursor + limit) }
  for i = 1, #page do
    local paused = redis.call('HGET', @{namespace.meta}, 'paused:' .. page[i])
    @{reply.add}(answer, page[i], string.format('%d', @{listeners.count}(page[i]).present), paused or '',
      paused and redis.call('HGET', @{namespace.key}('orders', page[i]), 'q') or '')
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== ready
--- Finds queues with tasks that match patterns, and registers the listener with them; the listener passes their names to ${TICK}reserve${TICK}. Each call also does a part of the search for queues that clients without scripts have filled.
-- @args now listener cursor limit count pattern*count
-- @role maintenance
-- @options has woken live
-- @again goes on
-- @reply next cursor (0 at the end); the list on which the listener waits if there is no task, or an empty string if it must ask again after a second; 1 if the search continues at once; then for each queue: its name and the number of the first pattern that it matches, not counting patterns that begin with ${TICK}!${TICK}
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open_with
@namespace.key
@contract.arguments
@cold

local function command()
  local meta = @{namespace.open_with}('patterns', 'searched', 'asked', 'settings')
  local listener, cursor, limit, count = @{contract.arguments}()
  local texts = {}
  for i = 1, count do
    texts[i] = @{patterns.one}(@{args.next}('pattern'), 'pattern')
  end
  local text = @{patterns.text}(table.concat(texts, ','), 'patterns')
  local options = @{args.options}()
  local has, live = options.has, options.live

  local index, list = @{patterns.index}(), not live and @{patterns.list}(text)
  @{namespace.probe}('ZCARD', index)
  local step = @{patterns.search}(meta[3])
  local found = @{patterns.look}(@{patterns.set}(text), cursor, limit, live)
  local fresh, equips = {}, {}
  if live then
    list = ''
  else
    for _, queue in ipairs(found) do
      local name = queue.name
      if redis.call('SISMEMBER', @{namespace.declare}(@{namespace.key}('listeners', name)), listener) == 0 then
        @{namespace.probe}('ZCARD', @{namespace.key}('seen', name))
        @{namespace.probe}('ZCARD', @{namespace.prefix} .. 'queues')
        fresh[#fresh + 1] = name
      end
      if has and (redis.call('HGET', @{namespace.declare}(@{namespace.key}('has', name)), listener) or '') ~= has then
        equips[#equips + 1] = name
      end
    end
  end
  local idle = not live and @{namespace.probe}('LLEN', list) == 0
  local passes = idle and options.woken and found.next ~= '0'
  local sets, asked, fits = @{patterns.remember}(meta[2] or '', meta[4] or '', not live and text, idle and not passes,
    meta[5])
  if not fits then
    list = ''
  end
  for _, queue in ipairs(step and step.found or {}) do
    @{wakeups.plan}(queue)
  end

  if sets ~= meta[2] or asked ~= (meta[4] or '') or step or passes or fresh[1] or equips[1] or found.gone[1] then
    @{namespace.begin}()
    redis.call('HSET', @{namespace.meta}, 'patterns', sets, 'asked', asked, 'searched', step and step.at or meta[3])
    if found.gone[1] then
      redis.call('ZREM', index, unpack(found.gone))
    end
    for _, name in ipairs(fresh) do
      redis.call('SADD', @{namespace.key}('listeners', name), listener)
      redis.call('ZINCRBY', @{namespace.prefix} .. 'queues', 1, name)
      @{listeners.seen}(name, listener)
    end
    for _, name in ipairs(equips) do
      @{listeners.equip}(name, listener, has)
    end
    if passes then
      @{patterns.wake}(list)
    end
    @{namespace.shared}('idle')['*'] = sets
    for _, queue in ipairs(step and step.found or {}) do
      do
        local queue = queue
        local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
        local value_2_1
        do
          local queue, idle, sets = queue, idle[queue], idle['*']
          if idle then
            redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
          end
          if sets then
            do
              local queue = queue
              local ready = @{namespace.prefix} .. 'ready'
              if not @{namespace.declared} or @{namespace.is_here}(ready) then
                redis.pcall('ZADD', ready, '0', queue)
              end
            end
            if sets ~= '' then
              sets = @{wakeups.wake_sets}(sets, queue)
            end
          end
          redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
          value_2_1 = sets
        end
        local sets = value_2_1
        idle[queue], idle['*'] = nil, sets
      end
    end
  end
  local answer = { found.next, string.sub(list, #@{namespace.prefix} + 1), step and step.more and 1 or 0 }
  for _, queue in ipairs(found) do
    answer[#answer + 1], answer[#answer + 2] = queue.name, queue.nth
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== redeliver
--- Makes notices of tasks and graphs for a target due at once, if they wait for their next try or were given up. A notice that was given up gets one more try. A notice that a worker is delivering stays as it is.
-- @args now target count owner*count
-- @role client
-- @again ${TICK}0${TICK}
-- @reply number of notices that are due now
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local target, count = @{contract.arguments}()
  local outbox, failed, plans, number = @{notices.outbox}(target), @{notices.given_up}(target), {}, 0
  @{namespace.probe}('ZCARD', outbox)
  @{namespace.probe}('ZCARD', failed)
  @{namespace.probe}('SCARD', @{notices.all}())
  for i = 1, count do
    plans[i] = @{notices.plan_redelivery}(@{notices.check_owner}(@{args.next}('owner'), 'owner'), target)
  end
  @{args.none}()
  @{namespace.begin}()
  for _, plan in ipairs(plans) do
    number = number + @{notices.redeliver}(plan, target)
  end
  return number
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== register
--- Registers a listener with a queue, and stores what the listener offers to tasks with needs.
-- @args now queue listener
-- @role worker
-- @options has
-- @again ${TICK}existing${TICK}
-- @reply ${TICK}registered${TICK}, or ${TICK}existing${TICK}
-- @errors EVICTION

local cold
@args.at
@args.next
@namespace.meta
@listeners.plan_drain
@namespace.prefix
@namespace.key
@listeners.probe
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@server.info
@server.require
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, listener = @{contract.arguments}()
  local capabilities = @{args.options}().has
  @{server.require}()
  @{rights.check}({ 'EXISTS', 'EXPIRE', 'HDEL', 'HEXISTS', 'HGET', 'HGETALL', 'HINCRBY', 'HKEYS', 'HLEN', 'HMGET', 'HSCAN', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LLEN', 'LPUSH', 'LRANGE', 'LREM', 'LTRIM', 'RPOP', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SCARD', 'SISMEMBER', 'SREM', 'TIME', 'UNLINK', 'XADD', 'XDEL', 'XINFO', 'XLEN', 'XRANGE', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZCOUNT', 'ZINCRBY', 'ZMSCORE', 'ZRANGE', 'ZRANGEBYSCORE', 'ZREM', 'ZSCORE' })
  @{listeners.probe}(queue)
  @{namespace.begin}()
  local added = redis.call('SADD', @{namespace.key}('listeners', queue), listener)
  redis.call('ZINCRBY', @{namespace.prefix} .. 'queues', added, queue)
  @{listeners.seen}(queue, listener)
  if capabilities then
    @{listeners.equip}(queue, listener, capabilities)
  end
  return added == 1 and 'registered' or 'existing'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== release
--- Gives a task back to the front of its queue: at once, after a delay, or when other tasks such as its children have ended. With ${TICK}into${TICK}, puts the task into another queue, behind the tasks that already wait there. A release does not count as a failure. After too many releases the task fails. The task is cancelled if its cancel was requested, or if a newer task has replaced it by the policy ${TICK}latest${TICK}.
-- @args now id token
-- @role worker
-- @options reason again uncounted inputs into lost cost
-- @reply ${TICK}released${TICK}, ${TICK}cancelled${TICK} or ${TICK}failed${TICK}; with ${TICK}lost${TICK} always ${TICK}lost${TICK}
-- @errors LOST TOOBIG TOOMANY CYCLE CLOSED DUPLICATE
-- @noted UPSTREAM

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@fence.task
@namespace.shared_tables
@ending.release
@event_entries.id
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, token = @{contract.arguments}()
  local options = @{args.options}()
  if options.inputs then
    options.suspend = @{edit_edges.suspend}
  elseif options.into then
    options.elsewhere = @{steps.give_back}
  end
  return @{ending.release}(id, token, options)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== repair
--- Repairs what clients without scripts leave behind, and what was deleted by hand. Each call examines one part of the queue.
-- @args now queue cursor limit
-- @role maintenance
-- @options grace shared
-- @again goes on
-- @reply next cursor (empty at the end), number of repairs, number of suspects, then for each held task whose listener was removed from the queue: the listener that is responsible for it, its id, status, holder and pid
-- @errors

local cold
@args.at
@args.next
@event_entries.id
@fixes.begin
@fixes.write
@fixes.fix
@namespace.meta
@namespace.prefix
@namespace.declared
@record.find
@fixes.find
@fixes.no_deadline
@logs.index
@namespace.key
@fixes.gone
@fixes.index
@namespace.now_us
@namespace.now
@fixes.overdue
@fixes.go_on
@fixes.page
@fixes.plan
@namespace.shared_tables
@namespace.gap
@state.move
@fixes.finish
@namespace.open
@record.held
@repair_held.attempt
@repair_held.confirmed
@repair_held.registered
@repair_held.claim
@repair_held.entry
@repair_held.held
@repair_held.started
@repair_held.orders
@repair_held.claims
@repair_held.score
@repair_held.suspects
@repair_labels.labelled
@repair_labels.labels
@repair_labels.unique
@repair_limits.places
@repair_lists.deadline
@repair_lists.due
@repair_lists.tasks
@repair_lists.ranking
@repair.parts
@repair.place
@repair_graphs.upstream
@repair_graphs.upstreams
@repair_lists.strayed
@repair_lists.group
@repair_lists.ended
@repair_lists.list
@repair.step
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, cursor, limit = @{contract.arguments}()
  local options = @{args.options}()
  return @{repair.step}(queue, cursor, limit, options.grace or (60 * 1000000), options.shared)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== report
--- Reports that a worker is alive, what it serves and how many of its slots are free. A worker reports every ten seconds. A worker that was forgotten is registered again.
-- @args now listener slots free count queue*count
-- @role worker
-- @options has name version draining methods failed trouble patterns
-- @reply for each queue ${TICK}continue${TICK}, or ${TICK}drain${TICK} if the worker is ordered to drain it
-- @errors TOOBIG

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open_with
@namespace.key
@workers.moment
@workers.key
@contract.arguments
@cold

local function command()
  local meta = @{namespace.open_with}('settings')
  local listener, slots, free, count = @{contract.arguments}()
  if free > slots then
    @{reply.fail}('BADARG', string.format('free must be a whole number from 0 to %.0f', slots))
  end
  local queues = @{args.different_queues}(count)
  local options = @{args.options}()
  if count == 0 and not options.patterns then
    @{reply.fail}('BADARG', 'count must be at least 1 without patterns: a worker serves a queue')
  end

  local key, all = @{workers.key}(listener), @{namespace.prefix} .. 'workers'
  local v = redis.call('HMGET', key, 'since', 'at')
  local alive = v[1] and v[2] and @{namespace.now_us} - @{workers.moment}(v[2]) <= (30 * 1000000)
  @{namespace.declare}(key)
  @{namespace.probe}('ZCARD', all)
  local answer, fresh, changed = {}, {}, {}
  for i, queue in ipairs(queues) do
    fresh[i] = redis.call('SISMEMBER', @{namespace.declare}(@{namespace.key}('listeners', queue)), listener) == 0
    @{namespace.probe}('ZCARD', @{namespace.key}('seen', queue))
    if fresh[i] then
      @{namespace.probe}('ZCARD', @{namespace.prefix} .. 'queues')
    end
    local own = options.has and (redis.call('HGET', @{namespace.declare}(@{namespace.key}('has', queue)), listener) or '')
    changed[i] = own and own ~= options.has
    answer[i] = redis.call('HEXISTS', @{namespace.key}('orders', queue), 'l:' .. listener) == 1 and 'drain' or 'continue'
  end
  local keep = tonumber(@{settings.value}(nil, meta[2], 'forget_after')) * 1000000
  @{namespace.begin}()

  redis.call('ZREM', all, '')
  redis.call('ZADD', all, @{namespace.decimal}(@{namespace.now_us} + keep), listener)
  redis.call('HSET', key, 'queues', table.concat(queues, ','), 'slots', slots, 'free', free, 'has', options.has or '',
    'name', options.name or '', 'version', options.version or '', 'draining', options.draining and '1' or '0',
    'methods', options.methods or '', 'trouble', options.trouble or '', 'failed', options.failed or '',
    'patterns', options.patterns or '', 'since', alive and v[1] or @{namespace.now}, 'at', @{namespace.now})
  for i, queue in ipairs(queues) do
    @{listeners.seen}(queue, listener)
    if fresh[i] then
      redis.call('SADD', @{namespace.key}('listeners', queue), listener)
      redis.call('ZINCRBY', @{namespace.prefix} .. 'queues', 1, queue)
    end
    if changed[i] then
      @{listeners.equip}(queue, listener, options.has)
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== requeue
--- Asks the owner of a task to give it back: the owner's heartbeats return ${TICK}stop${TICK}. With ${TICK}at_once${TICK} the task is taken from its owner immediately, even if its program is still running.
-- @args now id
-- @role administrator
-- @options at_once by request
-- @reply ${TICK}requeuing${TICK}; ${TICK}released${TICK} or ${TICK}cancelled${TICK} if the task was taken immediately, or had already been given back
-- @errors NOTASK STATE

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@record.held
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id = @{contract.arguments}()
  local spec = @{args.options}()
  @{requests.replay}('requeue', spec.request)

  spec.what = 'requeue'
  local task = @{actions.one}(id, @{requeuing.plan}, @{requeuing.requeue}, spec)
  local outcome = task.to == 'cancelled' and 'cancelled' or 'released'
  if @{record.held}(task) and not spec.at_once then
    outcome = 'requeuing'
  end
  return @{requests.keep}(outcome)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== requeue_orphans
--- Takes tasks with expired leases from their owners, and removes silent listeners and workers. The tasks go to the front of their queue, or are scheduled if they have a ${TICK}lost_delay${TICK}.
-- @args now queue limit
-- @role maintenance
-- @again goes on
-- @reply number of tasks requeued, failed, cancelled and postponed, 1 if more leases have expired, and the number of listeners of the queue
-- @errors

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@listeners.plan_drain
@listeners.drained
@namespace.prefix
@namespace.key
@listeners.probe
@listeners.remove
@lost_attempts.target
@namespace.declared
@namespace.shared_tables
@namespace.now
@state.move
@lost_attempts.move
@namespace.gap
@namespace.now_us
@namespace.open_with
@record.find
@record.held
@orphans.plan_one
@orphans.silent
@orphans.write
@server.info
@orphans.requeue
@contract.arguments
@cold

local function command()
  local meta = @{namespace.open_with}('run', 'gap')
  local queue, limit = @{contract.arguments}()
  return @{orphans.requeue}(queue, limit, meta[2], meta[3])
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== reserve
--- Gives a listener the next task of the first queue that has a task, or up to ${TICK}limit${TICK} tasks as if one by one. With ${TICK}pid${TICK} the tasks are started at once.
-- @args now listener count queue*count
-- @role worker
-- @options limit pid lease request woken order weights due
-- @reply nil, or for each task id queue token attempt deadline lease outcome losses failures parameters checkpoint; with ${TICK}due${TICK}, the first value is when ${TICK}maintenance${TICK} of these queues is due, in seconds, if there is no task, else an empty string
-- @errors NOLISTENER DRAINING

local cold
@args.at
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@state.move
@cold

local function command()
  local listener, count = ARGV[2], ARGV[3]
  if not ARGV[4] then
    @{args.missing}('listener count queue')
  end
  count = count == '1' and 1 or @{args.integer}(count, 1, 32, 'count')
  local last = 3 + count
  local meta, queues
  if count == 1 then
    local queue = ARGV[4]
    queues = { queue }
    meta = redis.call('HMGET', @{namespace.meta}, 'clock:1', 'paused:' .. queue, 'ranking:' .. queue,
      'settings:' .. queue, 'drained:' .. queue, 'settings', 'token')
  else
    if not ARGV[last] then
      @{reply.fail}('BADARG', 'missing argument: queue')
    end
    queues = { unpack(ARGV, 4, last) }
    meta = redis.call('HMGET', @{namespace.meta}, 'clock:1', @{reserving.fields}(queues))
  end
  do
    local clock = meta[1]
    if not clock or #KEYS ~= 1 or @{namespace.declared} and not string.find(@{namespace.meta}, '^[^_]*_meta$') then
      clock = @{namespace.check_new}()
    end
    if ARGV[1] == '' then
      local time = redis.call('TIME')
      local seconds, micros = time[1], time[2]
      if #micros < 6 then
        micros = string.format('%06d', micros)
      end
      @{namespace.now_us} = seconds * 1000000 + micros
      @{namespace.now} = seconds .. '.' .. micros
    else
      @{namespace.use_test_time}(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > @{namespace.now_us} then
      @{namespace.apply_floor}(floor)
    elseif floor + 15000000 < @{namespace.now_us} then
      @{namespace.note_gap}(floor)
    end
  end

  local call = {
    listener = listener, queues = queues, meta = meta,
    request = nil, pid = nil, woken = nil, wakes = nil, found = nil, due = nil,
  }
  for i = last + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if name == 'request' and value and not call.request and #value <= 128
      and string.find(value, '^[%w._:@-]+$') then
      call.request = value
    elseif name == 'woken' and value == '1' and not call.woken then
      call.woken = true
    else
      local options = @{args.options}(last)
      call.lease, call.request, call.woken = options.lease, options.request, options.woken
      call.limit = options.limit ~= 1 and options.limit or nil
      call.pid = options.pid and string.format('%d', options.pid)
      call.order, call.weights = @{attempt.order}(queues, options.order, options.weights), options.weights
      call.due = options.due
      break
    end
  end

  if call.request then
    do
      local call = call
      local queues, listener, request = call.queues, call.listener, call.request
      for i = 1, #queues do
        local held = @{namespace.declare}(@{namespace.prefix} .. 'reserved_tasks_' .. queues[i] .. '_' .. listener)
        local id = redis.call('LINDEX', held, '0')
        if id and redis.call('HGET', @{namespace.prefix} .. 'task_' .. id, 'request') == request then
          call.found = @{reserving.answer_again}(call)
          break
        end
      end
    end
  end
  if not call.found then
    do
      local call = call
      local queues, meta = call.queues, call.meta
      for i = 1, #queues do
        if meta[4 * i + 1] then
          @{listeners.refuse}(queues[i], call.listener)
        end
      end
    end
    do
      local call = call
      local value_2_1, value_2_2
      do
        local call = call
        local value_3_1, value_3_2
        do
          local call = call
          local prefix, queues, meta, listener = @{namespace.prefix}, call.queues, call.meta, call.listener
          local order = call.order and @{attempt.queue_order}(call)
          local common, task, v, ghosts = meta[#meta - 1], nil, nil, nil
          if order then
            call.asked = order
          end
          for nth = 1, #queues do
            local i = order and order[nth].at or nth
            local queue, skipped, at = queues[i], 0, 4 * i - 2
            local open, weighed = not meta[at], meta[at + 1] or meta[at + 2] or common
            local pending = prefix .. 'pending_tasks_' .. queue
            while open and skipped < 100 do
              local id = redis.call('LINDEX', pending, skipped == 0 and '-1' or -1 - skipped)
              if not id then
                @{namespace.declare}(pending)
                break
              end
              local value_4_1
              do
                local id = id
                local key = @{namespace.prefix} .. 'task_' .. id
                local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'outcome', 'parameters', 'updated', 'flags')
                if v[4] or v[3] ~= '0' then
                  local ended = redis.call('HMGET', key, 'losses', 'failures', 'checkpoint')
                  v[8], v[9], v[10] = ended[1], ended[2], ended[3]
                end
                value_4_1 = v
              end
              local read = value_4_1
              v = read
              if v[1] == 'pending' and v[2] == queue and not (v[7] and string.find(v[7], 'r')) then
                task = {
                  id = id, queue = queue, status = 'pending', attempt = v[3] or '0', last = true, since = v[6],
                  taker = listener, request = call.request,
                  issue = false, deadline = false, ends = false, lease = false,
                }
                if not v[3] then
                  task.foreign = true
                end
                if v[7] then
                  task.flags = v[7]
                end
                break
              end
              if v[1] == 'pending' and v[2] == queue then
                @{attempt.add_stray}(call, { id = id, queue = queue, status = 'pending', flags = v[7] })
              end
              skipped = skipped + 1
              @{namespace.declare}(prefix .. 'task_' .. id)
            end
            if skipped > 0 then
              ghosts = ghosts or {}
              ghosts[queue] = skipped
              @{namespace.declare}(pending)
            end
            if open and weighed then
              task, v = @{attempt.select}(call, queue, task, v, {
                ranked = meta[at + 1], own = meta[at + 2], common = common, listener = listener,
              })
            elseif task and call.limit and not (order or skipped > 0 or task.flags or task.foreign or call.updates) then
              @{picking.look_behind}(call, task, v)
            end
            if task then
              break
            end
          end
          if ghosts then
            call.ghosts = ghosts
          end
          value_3_1, value_3_2 = task, v
        end
        local task, fields = value_3_1, value_3_2
        if task then
          do
            local call, task = call, task
            local listener, pid, prefix = call.listener, call.pid, @{namespace.prefix}
            local queue, ghosts = task.queue, call.ghosts
            local pending, held = prefix .. 'pending_tasks_' .. queue, prefix .. 'reserved_tasks_' .. queue .. '_' .. listener
            local leases, events = prefix .. 'leases_' .. queue, prefix .. 'events_' .. queue
            local started = pid and prefix .. 'started_tasks_' .. queue
            if redis.call('SISMEMBER', prefix .. 'listeners_' .. queue, listener) == 0 then
              @{listeners.require}(queue, listener)
            end
            local last = call.written
            local written = last and last.queue == queue and (last.taker or last.node) == listener
            if not written then
              redis.call('XLEN', events)
              if not call.request or call.ended then
                redis.call('LLEN', held)
              end
              if pid then
                redis.call('SCARD', started)
              end
              if last or call.ended then
                redis.call('ZCARD', leases)
              end
            end
            if task.foreign then
              @{namespace.probe}('ZCARD', prefix .. 'tasks_' .. queue)
            end
            if task.flags then
              @{state.plan_flags}(task, pid and 'started' or 'reserved', listener)
            end
            if call.woken then
              local left = redis.call('LLEN', pending) - (call.run and #call.run or 1)
              call.wakes = (left > (ghosts and ghosts[queue] or 0)
                or redis.call('EXISTS', @{namespace.declare}(prefix .. 'pending_ranked_tasks_' .. queue)) == 1) and queue
              if call.wakes then
                @{wakeups.plan}(queue)
              end
              if call.queues[2] then
                @{giving.plan_others}(call, queue)
              end
            end
            if call.updates then
              @{attempt.plan_updates}(call.updates)
            end
            if call.asked then
              @{namespace.probe}('HLEN', prefix .. 'rounds_' .. listener)
            end
            local may, role = redis.acl_check_cmd, @{namespace.prefix} .. 'WORKER'
            if ghosts or call.asked or task.flags or task.foreign or call.updates or call.others then
              @{rights.require}()
            elseif may and not ((written or may('HSET', role, '', '') and may('XADD', events, '*', '', ''))
              and (call.run and may('LTRIM', pending, '', '') and may('LPUSH', held, '') or not call.run
                and may('RPOPLPUSH', pending, held))
              and (not pid or may('SADD', started, '')) and (not call.wakes or may('LPUSH', prefix .. 'wake_' .. queue, ''))) then
              @{rights.require}()
            end
            if @{namespace.declared} then
              for _, taken in ipairs(call.run or { task }) do
                @{namespace.declare}(prefix .. 'task_' .. taken.id)
              end
              @{namespace.begin_declared}(leases, pending, held, events, started or held)
            end
          end
        end
        value_2_1, value_2_2 = task, fields
      end
      local task, fields = value_2_1, value_2_2
      if task then
        do
          local call, task, fields = call, task, fields
          if call.run then
            @{giving.commit_run}(call)
          else
            if call.ghosts then
              redis.call('ZCARD', @{namespace.prefix} .. 'leases_' .. task.queue)
              @{attempt.clear}(call)
            end
            local lease = call.lease
            if task.flags then
              lease = tonumber(task.own_lease) or lease
            end
            lease = lease or task.set_lease or 60000000
            do
              local task, lease, why, apart, pid = task, lease, 'reserve', call.meta[#call.meta], call.pid
              local listener, length = task.taker, lease == 60000000 and '60000000' or lease
              do
                local task, lease, apart = task, lease, apart
                local us = @{namespace.now_us} + 1
                @{namespace.now_us} = us
                local token, ends = @{namespace.digits}(us), us + lease
                local value_5_1
                do
                  local us = ends
                  local micros = us % 1000000
                  value_5_1 = string.format('%d%06d', (us - micros) / 1000000, micros)
                end
                local deadline = value_5_1
                if apart then
                  token = string.format('%.0f', math.max(us, tonumber(apart) + 1))
                end
                task.lease, task.issue, task.ends, task.deadline = lease, token, ends, deadline
                task.attempt = task.attempt == '0' and '1' or string.format('%d', task.attempt + 1)
              end
              local value_4_1
              do
                local task = task
                local since, now = task.since, @{namespace.now}
                if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
                  now = since
                end
                value_4_1 = now
              end
              local now = value_4_1
              if pid then
                task.node, task.pid = listener, pid
                @{state.move}(task, 'started', why, listener,
                  'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
                  'pid', pid, 'started', now)
              else
                @{state.move}(task, 'reserved', why, listener,
                  'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
                  'reserved', now)
              end
              do
                local token, apart = task.issue, apart
                if apart then
                  redis.call('HSET', @{namespace.meta}, 'token', token)
                  token = string.format('%.0f', @{namespace.now_us})
                end
                do
                  local us = token
                  redis.call('HSET', @{namespace.meta}, 'clock:1', us)
                  if @{namespace.gap} then
                    redis.call('HSET', @{namespace.meta}, 'gap', string.format('%.0f', @{namespace.gap}))
                  end
                end
              end
            end
            if call.updates then
              @{attempt.write_updates}(call.updates)
            end
            if call.asked then
              @{attempt.record_served}(call.listener, call.asked, task.queue)
            end
            do
              local call, task, v = call, task, fields
              if call.found then
                @{giving.append}(call.found, task, v)
              else
                call.found = { task.id, task.queue, task.issue, tonumber(task.attempt), task.ends, task.lease,
                  v[4] or '', v[8] or '0', v[9] or '0', v[5] or '', v[10] or false }
              end
            end
          end
        end
        if call.limit then
          @{reserving.take_more}(call, task, fields)
        end
      end
      if call.wakes then
        do
          local queue = call.wakes
          local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
          local value_3_1
          do
            local queue, idle, sets = queue, idle[queue], idle['*']
            if idle then
              redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
            end
            if sets then
              do
                local queue = queue
                local ready = @{namespace.prefix} .. 'ready'
                if not @{namespace.declared} or @{namespace.is_here}(ready) then
                  redis.pcall('ZADD', ready, '0', queue)
                end
              end
              if sets ~= '' then
                sets = @{wakeups.wake_sets}(sets, queue)
              end
            end
            redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
            value_3_1 = sets
          end
          local sets = value_3_1
          idle[queue], idle['*'] = nil, sets
        end
      end
      if call.others then
        for _, queue in ipairs(call.others) do
          do
            local queue = queue
            local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
            local value_3_1
            do
              local queue, idle, sets = queue, idle[queue], idle['*']
              if idle then
                redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
              end
              if sets then
                do
                  local queue = queue
                  local ready = @{namespace.prefix} .. 'ready'
                  if not @{namespace.declared} or @{namespace.is_here}(ready) then
                    redis.pcall('ZADD', ready, '0', queue)
                  end
                end
                if sets ~= '' then
                  sets = @{wakeups.wake_sets}(sets, queue)
                end
              end
              redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
              value_3_1 = sets
            end
            local sets = value_3_1
            idle[queue], idle['*'] = nil, sets
          end
        end
      end
    end
  end
  if call.due ~= nil then
    return @{reserving.or_due}(call)
  elseif not call.found then
    @{reserving.nothing}(call)
    return false
  end
  return call.found
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== reset_clock
--- Sets a clock that ran ahead back to the server's time. The call is refused while any task is held. New tokens continue from the highest token.
-- @args now
-- @role administrator
-- @options by request
-- @reply ${TICK}reset${TICK}, or ${TICK}right${TICK} if the clock was not ahead
-- @errors HELD TOOMANY

local cold
@args.at
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@server.time
@cold

local function command()
  local MOST = 10000

  @{namespace.open}()
  local options = @{args.options}()
  @{requests.replay}('reset_clock', options.request)
  local floor, now = redis.call('HGET', @{namespace.meta}, 'clock:1'), @{server.time}()
  if not floor or tonumber(floor) <= now then
    return 'right'
  end
  local queues = redis.call('ZRANGE', @{namespace.declare}(@{namespace.prefix} .. 'queues'), 0, MOST)
  if #queues > MOST then
    @{reply.fail}('TOOMANY', 'there are over 10000 queues, more than one call can check: delete the empty queues')
  end
  for _, queue in ipairs(queues) do
    if @{namespace.probe}('ZCARD', @{namespace.key}('leases', queue)) > 0 then
      @{reply.fail}('HELD', 'tasks are held: pause the queues, wait until the tasks end or cancel them,'
        .. ' then repeat the call')
    end
  end
  local settled = {}
  table.insert(queues, 1, false)
  for _, queue in ipairs(queues) do
    local field = queue and 'settings:' .. queue or 'settings'
    local text = redis.call('HGET', @{namespace.meta}, field)
    local repaired = text and string.gsub(text, '_since=(%d+)', function(since)
      return string.format('_since=%.0f', math.min(tonumber(since), now))
    end)
    if repaired ~= text then
      settled[#settled + 1] = { field, repaired }
    end
  end
  local token = redis.call('HGET', @{namespace.meta}, 'token')
  @{audit.plan}()
  @{namespace.begin}()
  for _, set in ipairs(settled) do
    redis.call('HSET', @{namespace.meta}, set[1], set[2])
  end
  redis.call('HSET', @{namespace.meta}, 'clock:1', string.format('%.0f', now),
    'token', string.format('%.0f', math.max(tonumber(token or 0), tonumber(floor))))
  @{audit.add}(options.by, 'reset_clock', 'namespace', '', @{namespace.decimal}(floor), @{namespace.decimal}(now))
  return @{requests.keep}('reset')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== resume
--- Lets a paused queue give out tasks again.
-- @args now queue
-- @role administrator
-- @options by
-- @reply ${TICK}resumed${TICK}
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue = @{contract.arguments}()
  local by = @{args.options}().by
  @{orders.plan}(queue)
  @{wakeups.plan}(queue)
  local before = @{audit.flow}(queue)
  @{audit.plan}()
  @{namespace.begin}()
  redis.call('HDEL', @{namespace.meta}, 'paused:' .. queue)
  @{orders.take_back}(queue, 'q')
  do
    local queue = queue
    local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
    local value_2_1
    do
      local queue, idle, sets = queue, idle[queue], idle['*']
      if idle then
        redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
      end
      if sets then
        do
          local queue = queue
          local ready = @{namespace.prefix} .. 'ready'
          if not @{namespace.declared} or @{namespace.is_here}(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if sets ~= '' then
          sets = @{wakeups.wake_sets}(sets, queue)
        end
      end
      redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
      value_2_1 = sets
    end
    local sets = value_2_1
    idle[queue], idle['*'] = nil, sets
  end
  if before ~= 'open' then
    @{audit.add}(by, 'resume', 'queue', queue, before, 'open')
  end
  return 'resumed'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== resume_schedule
--- Lets a paused schedule create tasks again, starting with its next slot.
-- @args now name
-- @role administrator
-- @options by
-- @reply ${TICK}resumed${TICK}
-- @errors NOSCHEDULE

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local name = @{contract.arguments}()
  local by = @{args.options}().by
  local schedule = @{schedules.get}(name)
  if not schedule.paused then
    return 'resumed'
  end
  schedule.paused = nil
  if tonumber(schedule.done) > tonumber(@{namespace.now}) then
    schedule.list, schedule.final = {}, nil
  end
  schedule.done = @{namespace.now}
  @{schedules.plan_next}(schedule)
  @{schedules.probe}()
  @{audit.plan}()
  @{namespace.begin}()
  @{schedules.write}(schedule, 'paused')
  @{audit.add}(by, 'resume_schedule', 'schedule', name, 'paused', 'active')
  return 'resumed'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== retry
--- Retries a failed or cancelled task, and resets its counts of failures and losses to zero.
-- @args now id
-- @role client
-- @options fresh deadline by request
-- @reply ${TICK}pending${TICK}, or ${TICK}waiting${TICK} if a task that it waits for runs again
-- @errors NOTASK STATE STOPPING DUPLICATE UPSTREAM OVERDUE

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id = @{contract.arguments}()
  local spec = @{args.options}()
  @{requests.replay}('retry', spec.request)

  spec.what = 'retry'
  local task = @{actions.one}(id, @{retrying.plan}, @{retrying.retry}, spec)
  return @{requests.keep}(task.to or task.status)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== retry_graph
--- Reruns the failed and cancelled tasks of a graph; complete tasks keep their results. With ${TICK}task${TICK}, reruns these tasks and everything downstream of them, including complete tasks. Repeated calls with ${TICK}task${TICK} add up: tasks of earlier calls that have not stopped yet also rerun. ${TICK}run_deferred${TICK} does the work in steps.
-- @args now graph
-- @role client
-- @options task deadline by request
-- @reply ${TICK}retrying${TICK}
-- @errors NOTASK OVERDUE

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id = @{contract.arguments}()
  local options = @{args.options}()
  @{requests.replay}('retry_graph', options.request)
  @{graphs.require}(id, options.task)
  local known = redis.call('HMGET', @{graphs.key}(id), 'doing', 'end_by')
  local deadline = options.deadline or redis.call('HGET', @{graphs.key}(id), 'deadline')
  if deadline and @{deadlines.is_past}(deadline) then
    @{reply.fail}('OVERDUE', 'the deadline of the graph has passed: give it a later one with the option deadline')
  end
  @{graphs.plan_walk}(id)
  @{audit.plan}()
  @{namespace.begin}()
  if options.deadline then
    redis.call('HSET', @{graphs.key}(id), 'deadline', options.deadline)
  end
  if options.task then
    @{graphs.begin_rerun}(id, options.task, known, options.deadline)
  elseif options.deadline then
    @{graphs.begin_walk}(id, 'retry', 'end_by', options.deadline)
  else
    @{graphs.begin_walk}(id, 'retry')
  end
  @{audit.add}(options.by, 'retry_graph', 'graph', id, '', 'retrying')
  return @{requests.keep}('retrying')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== run_deferred
--- Does the next step of deferred work in task graphs, and of tasks past their deadlines. Overdue tasks come first: they fail, or if an attempt holds them, their owners are ordered to stop. Dependents are notified of the end of a task if the call that ended it did not notify them: because the dependents were many or the result was long, or because another task caused the end. Tasks that nothing needs after the end of another task are cancelled. Queued rounds of tasks begin. The tasks of new graphs are released. Cancels and retries of graphs continue. Graphs whose tasks did not all arrive within 10 minutes are removed.
-- @args now limit
-- @role maintenance
-- @again goes on
-- @reply number of tasks, 1 if more work is due
-- @errors
-- @noted CLOSED DUPLICATE OVERDUE STATE TOOBIG NOLIMIT TOOMANY STOPPING UPSTREAM

local cold
@args.at
@args.next
@namespace.now
@deferred.run
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  return @{deferred.run}(@{contract.arguments}())
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== run_schedule
--- Creates a task of a schedule at once, in addition to its slots, even if the schedule is paused or has ended.
-- @args now name id
-- @role administrator
-- @options overlap by request
-- @reply ${TICK}created${TICK} or ${TICK}existing${TICK}, and the id of the task
-- @errors NOSCHEDULE STATE OTHERQUEUE CLOSED DUPLICATE OVERDUE TOOBIG NOLIMIT TOOMANY

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local name, id = @{contract.arguments}()
  local options = @{args.options}()
  @{requests.replay}('run_schedule', options.request)
  local schedule = @{schedules.get}(name)
  local found = redis.call('HMGET', @{namespace.key}('task', id), 'queue', 'schedule')
  if found[1] and found[2] == name then
    return { 'existing', id }
  elseif found[1] == schedule.queue then
    @{reply.fail}('STATE', 'this id is a task that the schedule did not create')
  elseif found[1] then
    @{reply.fail}('OTHERQUEUE', 'this id is a task of another queue; ids are unique in a namespace')
  end
  local overlap = options.overlap or schedule.overlap
  local old, beside = @{firing.live}(schedule, overlap)
  if old and overlap == 'skip' then
    @{reply.fail}('STATE', 'its task ' .. old.id .. ' is ' .. old.status .. ': wait for its end, or allow both to run')
  elseif beside and (old and beside.id == old.id or @{schedules.exclusive}(schedule, schedule.overlap)) then
    @{reply.fail}('STATE', 'its task ' .. beside.id .. ' is ' .. beside.status
      .. (beside.queue == schedule.queue and '' or ' in another queue')
      .. ' and would run at the same time: wait for its end, or allow both to run')
  end
  local template = { name = name, queue = schedule.queue, parameters = schedule.parameters, options = schedule.options,
    overlap = overlap }
  local plan = @{firing.plan}({ schedule = template, id = id, old = overlap == 'cancel' and old or nil }, {})
  if plan.other then
    return { 'existing', plan.other }
  end
  @{audit.plan}()
  @{namespace.begin}()
  redis.call('HSET', schedule.key, 'last_at', @{namespace.now})
  @{firing.make}(plan, 'run_schedule')
  @{schedules.note}(schedule, id)
  redis.call('HSET', schedule.key, 'last_task', id, 'tasks', schedule.tasks or id)
  do
    local queue = schedule.queue
    local idle = @{namespace.shared_tables} and @{namespace.shared_tables}.idle or {}
    local value_2_1
    do
      local queue, idle, sets = queue, idle[queue], idle['*']
      if idle then
        redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
      end
      if sets then
        do
          local queue = queue
          local ready = @{namespace.prefix} .. 'ready'
          if not @{namespace.declared} or @{namespace.is_here}(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if sets ~= '' then
          sets = @{wakeups.wake_sets}(sets, queue)
        end
      end
      redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
      value_2_1 = sets
    end
    local sets = value_2_1
    idle[queue], idle['*'] = nil, sets
  end
  @{audit.add}(options.by, 'run_schedule', 'schedule', name, '', id)
  return @{requests.keep}({ 'created', id })
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== schedule
--- Creates a schedule, or changes the schedule with this name.
-- @args now name queue recurrence parameters count (slot)*count
-- @role administrator
-- @options overlap missed late start end times title submitter method command priority max_failures backoff delay max_delay jitter max_losses lost_delay max_releases lease key weight needs limits unique unique_until unique_policy tags deadline max_bytes max_run warn no_progress grace nice notify log_bytes trace steps by request
-- @reply ${TICK}created${TICK}, ${TICK}changed${TICK}, or ${TICK}existing${TICK} if nothing differs
-- @errors TOOBIG TOOMANY NOLIMIT

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local name, queue, text, parameters, count = @{contract.arguments}()
  local recurrence, every, offset = @{schedules.recurrence}(text)
  local fire_times = @{schedules.fire_times}(count)
  local options, texts, own = @{args.options}(), {}, {}
  for _, option in ipairs({ 'overlap', 'missed', 'late', 'start', 'end', 'times', 'by', 'request' }) do
    own[option], options[option] = options[option], nil
  end
  for _, option in ipairs({ 'late', 'times' }) do
    own[option] = own[option] and string.format('%d', own[option])
  end
  for i = @{args.at} + 1, #ARGV, 2 do
    if not own[ARGV[i]] then
      texts[#texts + 1] = ARGV[i] .. '=' .. @{schedules.quoted}(ARGV[i + 1])
    end
  end
  table.sort(texts, @{args.before})
  if every and #fire_times > 0 then
    @{reply.fail}('BADARG', 'only cron schedules take slots: count must be 0')
  end
  local new = {
    name = name, key = @{namespace.key}('schedule', name), recurrence = recurrence, every = every, offset = offset,
    queue = queue, parameters = parameters,
    options = table.concat(texts, ' '), overlap = own.overlap or 'skip', missed = own.missed or 'one', late = own.late,
    start = own.start, ['end'] = own['end'], times = own.times, changed = @{namespace.now},
  }
  local most = options.max_bytes or tonumber(@{settings.get}(queue, 'max_bytes'))
  if options.key and (new.overlap == 'queue' or new.overlap == 'cancel') then
    @{reply.fail}('BADARG', 'overlap queue and cancel set a key: leave out key, or use skip or allow')
  end
  @{args.bytes}(parameters, most, 'parameters')
  @{creation.spec}(options)

  @{requests.replay}('schedule', own.request)
  local old = @{schedules.find}(name)
  local same = old ~= nil
  for _, field in ipairs(@{schedules.definition}()) do
    same = same and old[field] == new[field]
  end
  if same then
    return 'existing'
  end
  if not old and @{namespace.probe}('ZCARD', @{namespace.prefix} .. 'schedules') >= 100000 then
    @{reply.fail}('TOOMANY', 'there are 100000 schedules already')
  end
  old = old or { made = '0', skipped = '0', passed = '0', created = @{namespace.now}, done = @{namespace.now} }
  for _, field in ipairs({ 'made', 'skipped', 'passed', 'created', 'done', 'paused' }) do
    new[field] = old[field]
  end
  new.list = old.list
  if not old.next or old.recurrence ~= new.recurrence or old.start ~= new.start then
    new.list = fire_times
    if tonumber(new.done) < tonumber(@{namespace.now}) then
      new.done = @{namespace.now}
    end
  end
  if tonumber(new['end'] or math.huge) <= math.max(@{namespace.now_us} / 1000000, tonumber(new.start or 0)) then
    @{reply.fail}('BADARG', 'the end must be in the future and after the start')
  elseif tonumber(new.made) >= tonumber(new.times or math.huge) then
    @{reply.fail}('BADARG', 'the schedule has created that many tasks already')
  end
  @{schedules.plan_next}(new)
  if new.ended or not every and not new.list[1] then
    @{reply.fail}('BADARG', every and 'no slot lies before the end'
      or 'no slot is in the future, between start and end')
  end
  local names, named = options.limits, @{schedules.values}(old.options or '').limits
  if names or named then
    @{shared_count.plan}()
  end
  @{schedules.probe}()
  @{audit.plan}()
  @{namespace.begin}()
  @{shared_count.recount}(names, named)
  @{schedules.write}(new, 'created', 'changed', unpack(@{schedules.definition}()))
  @{audit.add}(own.by, 'schedule', 'schedule', name, old.recurrence, recurrence,
    'queue ' .. queue .. ', parameters ' .. @{audit.payload}(parameters))
  return @{requests.keep}(old.recurrence and 'changed' or 'created')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== schedules
--- Lists the schedules of the namespace, by their next slot.
-- @args now cursor limit
-- @reply next cursor (0 at the end), then for each schedule: its name, queue, recurrence, state (${TICK}active paused ended dry${TICK}), next slot, tasks created, slots skipped, slots passed over, last task, last error, and of its tasks the title and the arguments of the command line; values that do not apply are empty
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local cursor, limit = @{contract.arguments}()
  local page = redis.call('ZRANGE', @{namespace.prefix} .. 'schedules', cursor, cursor + limit - 1)
  local answer = { #page < limit and '0' or string.format('%.0f', cursor + limit) }
  for _, name in ipairs(page) do
    local v = redis.call('HMGET', @{namespace.key}('schedule', name),
      'queue', 'recurrence', 'next', 'made', 'skipped', 'passed', 'last_task', 'error', 'paused', 'ended', 'options')
    if v[1] then
      local options = @{schedules.values}(v[11] or '')
      @{reply.add}(answer, name, v[1], v[2], @{schedules.state}(v[9], v[10], v[3]), v[3] or '', v[4], v[5], v[6], v[7] or '',
        v[8] or '', options.title or '', @{args.argv}(options.command) or '')
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== set_topology
--- Stores the topology: the partition that this namespace is from now on, and the names of all partitions. ${TICK}former${TICK} is the version that the caller has read, or 0 if none is stored. The call is refused if another client has changed the topology since, or if the new version is not greater.
-- @args now former version partition count member*count
-- @role administrator
-- @options by
-- @reply ${TICK}stored${TICK}
-- @errors TOPOLOGY

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local former, version, partition, count = @{contract.arguments}()
  local names = @{topology.names}(count, partition)
  local by = @{args.options}().by
  if version <= former then
    @{reply.fail}('BADARG', 'version must be greater than former')
  end
  local stored, own, known = @{topology.stored}()
  if own ~= '' and own ~= partition then
    @{reply.fail}('TOPOLOGY', 'this namespace is the partition ' .. own .. ', and ids of tasks have that name: give it this'
      .. ' name in the topology, or correct the address')
  elseif stored == version and known == names then
    return 'stored'
  elseif stored ~= former then
    @{reply.fail}('TOPOLOGY', string.format('the stored topology has version %.0f: read it with topology, then repeat the'
      .. ' call with that version as former', stored))
  end
  @{audit.plan}()
  @{namespace.begin}()
  local before, after = string.format('%.0f', stored), string.format('%.0f', version)
  redis.call('HSET', @{topology.key}(), 'version', after, 'partition', partition, 'names', names)
  @{audit.add}(by, 'set_topology', 'namespace', '', before, after, names)
  return 'stored'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== settings
--- Returns the settings in effect for a queue, or with queue ${TICK}*${TICK} the defaults for all queues.
-- @args now queue
-- @reply for each setting: its name, its value (empty: no limit) and the level where it is set: ${TICK}queue${TICK}, ${TICK}namespace${TICK} or ${TICK}default${TICK}
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue = @{contract.arguments}()
  local texts = redis.call('HMGET', @{namespace.meta}, 'settings:' .. queue, 'settings')
  local answer = {}
  for name in string.gmatch(' ageing audit backoff closed concurrency delay events forget_after grace graph_bytes history input_bytes jitter keep key_concurrency key_rate lease log_bytes logs_bytes lost_delay max_bytes max_delay max_failures max_losses max_releases max_uncounted notify rate retain statistics ', '%S+') do
    local own, common = @{settings.find}(texts[1], name), @{settings.find}(texts[2], name)
    @{reply.add}(answer, name, own or common or @{settings.find}('lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', name) or '',
      own and 'queue' or common and 'namespace' or 'default')
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== show_graph
--- Returns the tasks of a graph, in the order in which they were submitted.
-- @args now graph cursor limit
-- @reply nil if there is no such graph; else next cursor (0 at the end), ${TICK}staging${TICK} or ${TICK}created${TICK}, the time of its last submission, its number of tasks, its name; how many tasks are complete, failed, cancelled and skipped; the action in progress: ${TICK}cancel${TICK}, ${TICK}retry${TICK}, ${TICK}rerun${TICK}, or empty; then for each task: its id, its queue (empty if the task was deleted), its status, the number of tasks that it still waits for, the task that caused its end (empty if there is none), its label, its inputs as submitted, and 1 if it was skipped
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, cursor, limit = @{contract.arguments}()
  local graph = @{graphs.find}(id)
  if not graph then
    @{namespace.check_slot}(@{graphs.key}(id))
    return false
  end
  local from = tonumber(cursor)
  local ids = redis.call('LRANGE', @{graphs.tasks}(id), from, from + limit - 1)
  local counts = redis.call('HMGET', @{graphs.key}(id), 'complete', 'failed', 'cancelled', 'skipped', 'doing')
  local doing = string.gsub(counts[5] or '', '^mark_', '')
  local answer = { #ids < limit and '0' or string.format('%.0f', from + limit), graph.state, graph.created, graph.total,
    graph.name, counts[1] or '0', counts[2] or '0', counts[3] or '0', counts[4] or '0',
    doing == 'repair' and 'retry' or doing }
  for _, task in ipairs(ids) do
    local v = redis.call('HMGET', @{namespace.key}('task', task), 'queue', 'status', 'cause', 'label', 'inputs', 'graph',
      'flags')
    if v[6] ~= id then
      v = {}
    end
    local status = v[2] or v[1] and 'waiting' or 'deleted'
    if doing == 'rerun' and @{contract.is_final}(status) and @{graphs.is_rerun}(id, task) then
      status = 'waiting'
    end
    @{reply.add}(answer, task, v[1] or '', status, status == 'waiting' and @{edge_end.open}(task, v[7]) or 0, v[3] or '',
      v[4] or '', v[5] or '', @{graphs.outcome}(status, v[7]) == 'skipped' and 1 or 0)
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== show_schedule
--- Returns the fields of a schedule.
-- @args now name
-- @reply field and value in turn, and its ${TICK}state${TICK}: ${TICK}active${TICK}, ${TICK}paused${TICK}, ${TICK}ended${TICK}, or ${TICK}dry${TICK} (a client must supply its next slots)
-- @errors NOSCHEDULE

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local name = @{contract.arguments}()
  local schedule = @{schedules.get}(name)
  local answer = redis.call('HGETALL', schedule.key)
  answer[#answer + 1], answer[#answer + 2] = 'state', @{schedules.state}(schedule.paused, schedule.ended, schedule.next)
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== signal
--- Asks the owner of a task to send its program a signal, once.
-- @args now id signal
-- @role client
-- @options by request
-- @reply number of the request in this attempt; the owner has answered it when the field ${TICK}controlled${TICK} has reached it
-- @errors NOTASK STATE TOOMANY

local cold
@args.at
@args.next
@controlling.KINDS
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, signal = @{contract.arguments}()
  local spec = @{args.options}()
  @{requests.replay}('signal', spec.request)

  spec.what, spec.detail, spec.reason = 'signal', signal, signal
  local task = @{actions.one}(id, @{controlling.plan}, @{controlling.ask}, spec)
  return @{requests.keep}(string.format('%.0f', task.controls.last))
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== start
--- Reports that a process works on the reserved task, and renews its lease.
-- @args now id token pid
-- @role worker
-- @options lease span
-- @again a later deadline
-- @reply deadline
-- @errors LOST CANCELLED STATE

local cold
@args.at
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@fence.task
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@state.move
@cold

local function command()
  do
    local clock = redis.call('HGET', @{namespace.meta}, 'clock:1')
    if not clock or #KEYS ~= 1 or @{namespace.declared} and not string.find(@{namespace.meta}, '^[^_]*_meta$') then
      clock = @{namespace.check_new}()
    end
    if ARGV[1] == '' then
      local time = redis.call('TIME')
      local seconds, micros = time[1], time[2]
      if #micros < 6 then
        micros = string.format('%06d', micros)
      end
      @{namespace.now_us} = seconds * 1000000 + micros
      @{namespace.now} = seconds .. '.' .. micros
    else
      @{namespace.use_test_time}(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > @{namespace.now_us} then
      @{namespace.apply_floor}(floor)
    elseif floor + 15000000 < @{namespace.now_us} then
      @{namespace.note_gap}(floor)
    end
  end
  local id, token, pid = ARGV[2], ARGV[3], ARGV[4]
  if not pid then
    @{args.missing}('id token pid')
  end
  if not string.find(pid, '^[1-9]%d?%d?%d?%d?%d?$') then
    pid = string.format('%d', @{args.integer}(pid, 1, 4194304, 'pid'))
  end
  local options = ARGV[5] and @{args.options}(4) or {}
  local lease, span = options.lease, options.span

  local task, given = @{fence.task}(id, token, '', 'lease')
  if task.cancel then
    @{reply.fail}('CANCELLED', 'the task was cancelled before it started: release it')
  end
  lease = lease and string.format('%.0f', lease) or given
  local prefix, queue, deadline = @{namespace.prefix}, task.queue, @{namespace.now_us} + lease
  local leases = prefix .. 'leases_' .. queue
  local value_1_1
  do
    local us = deadline
    local micros = us % 1000000
    value_1_1 = string.format('%d%06d', (us - micros) / 1000000, micros)
  end
  local digits = value_1_1
  task.deadline = digits
  local may, role = redis.acl_check_cmd, prefix .. 'WORKER'
  if task.status == 'started' then
    if task.pid ~= pid then
      @{record.refuse}('started by another process', 'reserved')
    end
    if may and not (may('ZADD', role, '', '') and (not span or may('HSET', role, '', ''))) then
      @{rights.require}()
    end
    if @{namespace.declared} then
      @{namespace.begin_declared}(leases)
    end
    local value_1_1
    do
      local task = task

      value_1_1 = task.id .. ' ' .. task.token
    end
    local member = value_1_1
    redis.call('ZADD', leases, task.deadline, member)
    if span then
      redis.call('HSET', prefix .. 'task_' .. id, 'span', span)
    end
    return deadline
  end

  local events, started = prefix .. 'events_' .. queue, prefix .. 'started_tasks_' .. queue
  do
    local events, count, index = events, 'SCARD', started
    redis.call('XLEN', events)
    redis.call(count, index)
  end
  if task.flags and string.find(task.flags, '[uom]') then
    @{state.plan_flags}(task, 'started')
  end
  if may and not (may('SADD', started, '') and may('HSET', role, '', '') and may('XADD', events, '*', '', ''))
    or task.flags and string.find(task.flags, '[uom]') then
    @{rights.require}()
  end
  if @{namespace.declared} then
    @{namespace.begin_declared}(leases, events, started)
  end
  task.pid = pid
  local value_1_1
  do
    local task = task
    local since, now = task.since, @{namespace.now}
    if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
      now = since
    end
    value_1_1 = now
  end
  local now = value_1_1
  @{state.move}(task, 'started', 'start', task.node, 'pid', pid, 'lease', lease, 'started', now)
  if span then
    redis.call('HSET', prefix .. 'task_' .. id, 'span', span)
  end
  return deadline
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== statistics
--- Returns the statistics of a queue by day, and for all these days together. Includes the events that ${TICK}aggregate${TICK} has read. With ${TICK}host${TICK}, returns the statistics of attempts that ended on this host.
-- @args now queue days
-- @options until host
-- @reply name and value in turn: ${TICK}day${TICK} and ${TICK}total${TICK}, the ${TICK}first${TICK} and the ${TICK}last${TICK} day and the day ${TICK}before${TICK} the first (YYYYMMDD), then the values of all these days; then for each day that has values, earliest first, ${TICK}day${TICK} and its date (YYYYMMDD) and its values
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@statistics.kind
@statistics.join
@statistics.text
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, count = @{contract.arguments}()
  local options = @{args.options}()
  local last, host = options['until'] or math.floor(@{namespace.now_us} / 86400000000), options.host

  local names, kinds, total, days = @{statistics.names}(), {}, {}, {}
  for i, name in ipairs(names) do
    kinds[i] = @{statistics.kind}(name)
  end
  for _, date in ipairs(redis.call('ZRANGEBYSCORE', @{namespace.key}('days', queue), last - count + 1, last,
    'LIMIT', 0, 14)) do
    local values = {}
    if host then
      local fields = {}
      for i, name in ipairs(names) do
        fields[i] = host .. ' ' .. name
      end
      for i, value in ipairs(redis.call('HMGET', @{statistics.hosts_key}(queue, date), unpack(fields))) do
        values[names[i]] = value or nil
      end
    else
      local found = redis.call('HGETALL', @{statistics.key}(queue, date))
      for i = 1, #found, 2 do
        values[found[i]] = found[i + 1]
      end
    end
    if not host or next(values) then
      days[#days + 1], days[#days + 2] = 'day', date
    end
    for i, name in ipairs(names) do
      local value = values[name]
      if value then
        days[#days + 1], days[#days + 2] = name, value
        total[i] = @{statistics.join}(kinds[i], total[i], tonumber(value))
      end
    end
  end
  local first = math.max(0, last - count + 1)
  local answer = {
    'day', 'total', 'first', @{calendar.date}(first), 'last', @{calendar.date}(last),
    'before', first > 0 and @{calendar.date}(first - 1) or '',
  }
  for i, name in ipairs(names) do
    if total[i] then
      answer[#answer + 1], answer[#answer + 2] = name, @{statistics.text}(kinds[i], total[i])
    end
  end
  @{reply.add}(answer, unpack(days))
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== submit
--- Adds tasks to a queue. A new task is pending, scheduled if its eta is in the future, or waiting if it waits for other tasks. With ${TICK}again${TICK}, a finished task begins a new round, and a waiting task is changed. With ${TICK}once_more${TICK} as well, a task that an attempt holds begins a new round when the current round has ended.
-- @args now queue count (id eta parameters)*count
-- @role client
-- @options title submitter method command priority max_failures backoff delay max_delay jitter max_losses lost_delay max_releases lease key weight needs limits unique unique_until unique_policy tags deadline max_bytes max_run warn no_progress grace nice notify log_bytes trace steps inputs again once_more hold by request
-- @reply for each task ${TICK}created${TICK}, or ${TICK}existing${TICK} if the id was submitted before; with a unique name ${TICK}existing${TICK} or ${TICK}replaced${TICK}, and the id of the other task; with ${TICK}again${TICK} the word ${TICK}created${TICK}, ${TICK}again${TICK}, ${TICK}changed${TICK}, ${TICK}existing${TICK} or ${TICK}later${TICK}, and the number of the round
-- @errors TOOBIG OTHERQUEUE CLOSED DUPLICATE NOTASK UPSTREAM OVERDUE STATE TOOMANY NOLIMIT

local cold
@args.at
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@state.move
@cold

local function command()
  local queue, count = ARGV[2], ARGV[3]
  if not count then
    @{args.missing}('queue count')
  end
  if #queue > 128 or not string.find(queue, '^[%w._:@-]+$') then
    @{args.plain}(queue, 'queue')
  end
  local meta = redis.call('HMGET', @{namespace.meta}, 'clock:1', 'settings:' .. queue, 'settings', 'patterns')
  do
    local clock = meta[1]
    if not clock or #KEYS ~= 1 or @{namespace.declared} and not string.find(@{namespace.meta}, '^[^_]*_meta$') then
      clock = @{namespace.check_new}()
    end
    if ARGV[1] == '' then
      local time = redis.call('TIME')
      local seconds, micros = time[1], time[2]
      if #micros < 6 then
        micros = string.format('%06d', micros)
      end
      @{namespace.now_us} = seconds * 1000000 + micros
      @{namespace.now} = seconds .. '.' .. micros
    else
      @{namespace.use_test_time}(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > @{namespace.now_us} then
      @{namespace.apply_floor}(floor)
    elseif floor + 15000000 < @{namespace.now_us} then
      @{namespace.note_gap}(floor)
    end
  end
  count = count == '1' and 1 or @{args.integer}(count, 1, 500, 'count')
  local last = 3 + 3 * count
  if not ARGV[last] then
    @{reply.fail}('BADARG', 'missing argument: id, eta or parameters')
  end
  local most, spec, request, again, once_more, by = 1048576, nil, nil, nil, nil, nil
  local notify = (meta[2] or meta[3]) and @{settings.value}(meta[2], meta[3], 'notify')
  if ARGV[last + 1] then
    local options = @{args.options}(last)
    request, options.request = options.request, nil
    again, options.again = options.again, nil
    once_more, options.once_more = options.once_more, nil
    by, options.by = options.by, nil
    if next(options) or again then
      options.notify = options.notify or notify or nil
      spec = @{creation.spec}(options)
      if spec.hold then
        if spec.inputs or again then
          @{reply.fail}('BADARG', 'hold goes without inputs and again: hold the task when it is pending')
        end
        spec.fields[#spec.fields + 1], spec.fields[#spec.fields + 2] = 'held_by', by or ''
      end
      if spec.unique and count > 1 then
        @{reply.fail}('BADARG', 'a unique name is for one task: count must be 1')
      elseif spec.inputs and count * #spec.inputs.upstreams > 1000 then
        @{reply.fail}('TOOMANY', 'these tasks wait for too many others: submit them by several calls')
      elseif again then
        @{rerun.check}(count, spec, request)
      end
    end
    if once_more and not again then
      @{reply.fail}('BADARG', 'once_more goes with again')
    end
  end
  if notify and not spec then
    spec = @{creation.spec}({ notify = notify })
  end
  if meta[2] or meta[3] then
    most = tonumber(@{settings.value}(meta[2], meta[3], 'max_bytes'))
  end
  most = spec and spec.max_bytes or most

  if request then
    @{requests.replay}('submit', request)
  end

  local prefix, now = @{namespace.prefix}, @{namespace.now}
  local fresh, answer, seen, pending, later, begins, size = {}, {}, count > 1 and {}, nil, nil, nil, 0
  for at = 4, last, 3 do
    local id, eta, parameters = ARGV[at], ARGV[at + 1], ARGV[at + 2]
    if #id > 128 or not string.find(id, '^[%w._:@-]+$') then
      @{args.plain}(id, 'id')
    end
    if seen then
      if seen[id] then
        @{reply.fail}('BADARG', 'an id is given twice in one call')
      end
      seen[id] = true
      size = size + #parameters
      if size > 8388608 then
        @{reply.fail}('TOOBIG', 'the parameters of this call are over 8388608 bytes: submit the tasks in several calls')
      end
    end
    if #parameters > most then
      @{args.bytes}(parameters, most, 'parameters')
    end
    eta = eta ~= '' and @{args.time_or_none}(eta, 'eta') or nil
    local found = redis.call('HGET', prefix .. 'task_' .. id, 'queue')
    if not found then
      local task = { id = id, queue = queue, parameters = parameters, attempt = '0', created = now, foreign = true }
      if eta and eta > @{namespace.now_us} then
        task.eta = @{namespace.decimal}(eta)
      end
      if spec and spec.inputs then
        @{edge_submit.look}(task, spec.inputs)
      end
      local to = spec and @{creation.apply}(task, spec) or task.eta and 'scheduled' or 'pending'
      if to == 'pending' then
        pending = task
      else
        later, begins = task, to
      end
      fresh[#fresh + 1] = task
      if @{namespace.declared} then
        @{namespace.declare}(prefix .. 'task_' .. id)
      end
      answer[#answer + 1] = 'created'
    elseif again then
      return @{requests.keep}(@{rerun.submit}(id, { queue = queue, parameters = parameters, eta = eta or false,
        request = request, by = by, options = once_more and @{queued_round.options}(last) or nil }, spec))
    elseif found == queue then
      answer[#answer + 1] = 'existing'
    else
      @{reply.fail}('OTHERQUEUE', 'this id is a task of another queue; ids are unique in a namespace')
    end
  end
  if #fresh == 0 then
    return answer
  end
  if meta[2] or meta[3] then
    @{creation.require_open}(meta[2], meta[3])
  end
  local rival
  if spec and spec.unique then
    local other
    other, rival = @{creation.conflict}(fresh[1], spec)
    if other then
      answer = { rival and 'replaced' or 'existing', other }
    end
    if other and not rival then
      return answer
    end
    for _, edge in ipairs(rival and fresh[1].edges or {}) do
      if edge.up.id == rival.id then
        @{reply.fail}('BADARG', 'a task cannot wait for the one that it replaces')
      end
    end
  end

  local pending_key, wake, events = prefix .. 'pending_tasks_' .. queue, prefix .. 'wake_' .. queue,
    prefix .. 'events_' .. queue
  do
    local events, count, index = events, 'LLEN', pending_key
    redis.call('XLEN', events)
    redis.call(count, index)
  end
  local known = redis.call('ZSCORE', prefix .. 'queues', queue)
  local idle, sets = redis.call('LLEN', wake) == 0, meta[4]
  if later then
    @{namespace.probe}(begins == 'held' and 'LLEN' or 'ZCARD',
      prefix .. (begins == 'scheduled' and later.ranked and 'scheduled_ranked' or begins) .. '_tasks_' .. queue)
  end
  if spec and spec.flags then
    @{creation.plan}(pending or later)
  end
  if rival then
    rival.later = fresh[1].edges and fresh[1].edges[1] and true
    @{state.plan}(rival, 'cancelled')
  end
  local may, role = redis.acl_check_cmd, @{namespace.prefix} .. 'CLIENT'
  if spec then
    @{rights.require}()
  elseif may and not (may('HSET', role, '', '') and may('LPUSH', pending_key, '')
    and may('XADD', events, '*', '', '')
    and (not request or may('HDEL', @{namespace.meta}, '') and may('EXPIRE', @{namespace.meta}, '1'))) then
    @{rights.require}()
  end
  if @{namespace.declared} then
    @{namespace.begin_declared}(prefix .. 'tasks_' .. queue, prefix .. 'queues', pending_key, wake, events)
  end

  if rival then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, now, fresh[1].id)
    @{state.move}(rival, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. fresh[1].id)
    idle, sets = redis.call('LLEN', wake) == 0, redis.call('HGET', @{namespace.meta}, 'patterns')
  end
  for i = 1, #fresh do
    local task = fresh[i]
    if spec then
      @{creation.insert}(task, spec, 'submit')
    elseif task.eta then
      @{state.move}(task, 'scheduled', 'submit', '',
        'queue', queue, 'parameters', task.parameters, 'created', now, 'attempt', '0', 'eta', task.eta)
    else
      @{state.move}(task, 'pending', 'submit', '',
        'queue', queue, 'parameters', task.parameters, 'created', now, 'attempt', '0')
    end
  end
  if not known then
    redis.call('ZADD', prefix .. 'queues', 0, queue)
  end
  if pending then
    do
      local queue, idle, sets = queue, idle, sets
      if idle then
        redis.call('LPUSH', @{namespace.prefix} .. 'wake_' .. queue, '1')
      end
      if sets then
        do
          local queue = queue
          local ready = @{namespace.prefix} .. 'ready'
          if not @{namespace.declared} or @{namespace.is_here}(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if sets ~= '' then
          sets = @{wakeups.wake_sets}(sets, queue)
        end
      end
      redis.pcall('PUBLISH', @{namespace.prefix} .. 'channel_' .. queue, '')
    end
  elseif sets then
    do
      local queue = queue
      local ready = @{namespace.prefix} .. 'ready'
      if not @{namespace.declared} or @{namespace.is_here}(ready) then
        redis.pcall('ZADD', ready, '0', queue)
      end
    end
  end
  if request then
    @{namespace.shared}('request').begun = true
    answer[2] = again and 1 or answer[2]
    return @{requests.keep}(answer)
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== submit_graph
--- Submits the tasks of a graph, which wait for one another, up to 500 in a call. The call that submits the last task creates the graph; until then no other command finds the tasks. A task must come after all tasks that it waits for.
-- @args now graph total count (id queue eta parameters inputs options)*count
-- @role client
-- @options name on_failure tags bounds deadline notify trace submitter digest request
-- @reply ${TICK}staged${TICK} while tasks are missing, ${TICK}created${TICK}, or ${TICK}existing${TICK} if this graph was created before
-- @errors TOOBIG OTHERQUEUE CLOSED NOTASK UPSTREAM OVERDUE DUPLICATE NOLIMIT TOOMANY

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@record.find
@cold

local function command()
  @{namespace.open}()
  local id = @{args.plain}(@{args.next}('graph'), 'graph')
  local total = @{args.integer}(@{args.next}('total'), 1, 10000, 'total')
  local count = @{args.integer}(@{args.next}('count'), 1, 500, 'count')
  local last = 4 + 6 * count
  if not ARGV[last] then
    @{reply.fail}('BADARG', 'missing argument: id, queue, eta, parameters, inputs or options')
  end
  local options = @{args.options}(last)
  local facts, request, bounds = @{staging.facts}(options), options.request, options.bounds
  @{requests.replay}('submit_graph', request)

  local known = redis.call('HMGET', @{namespace.declare}(@{graphs.key}(id)), 'state', 'total', 'staged', 'runs', 'bytes',
    'digest')
  if known[6] and options.digest and known[6] ~= options.digest then
    @{staging.refuse_other}(known[1])
  elseif known[1] == 'created' then
    return 'existing'
  elseif known[2] and tonumber(known[2]) ~= total then
    @{reply.fail}('BADARG', 'the graph has another total: it is the same in all calls of a graph')
  end

  local prefix, plain, parse, look = @{namespace.prefix}, @{args.plain}, @{edge_inputs.parse}, @{edge_submit.look}
  local spec_of, time, staged_of, find = @{staging.spec}, @{args.time_or_none}, @{graphs.staged}, @{record.find}
  local tasks, fresh, found, specs, sizes, new, keys, none, notify = {}, {}, {}, {}, {}, {}, {}, {}, {}
  local staged, bytes, number, size = tonumber(known[3] or 0), 0, 0, tonumber(known[5] or 0)
  local runs = @{graphs.runs}(known[4], staged)
  for at = 5, last, 6 do
    local own, n = ARGV[at], (at - 5) / 3
    local from = string.sub(own, 1, #id) == id and #id + 1 or 1
    if #own > 128 or not string.find(own, '^[%w._:@-]+$', from) then
      plain(own, 'id')
    end
    keys[n + 1], keys[n + 2] = prefix .. 'task_' .. own, prefix .. 'dependents_' .. own
    if @{namespace.declared} then
      @{namespace.declare}(keys[n + 1])
      @{namespace.declare}(keys[n + 2])
    end
  end
  local unknown = redis.call('EXISTS', unpack(keys)) == 0
  local function upstream(wish)
    local up = fresh[wish] or found[wish]
    if not up then
      up = staged_of(wish, id) or find(wish)
      found[wish] = up
    end
    return up
  end
  for at = 5, last, 6 do
    local queue = ARGV[at + 1]
    if not sizes[queue] then
      sizes[plain(queue, 'queue')] = tonumber(@{settings.get}(queue, 'max_bytes'))
      @{creation.require_open}(unpack(@{namespace.shared}('settings')[queue], 1, 2))
      notify[queue] = @{settings.get}(queue, 'notify')
    end
    local task = { id = ARGV[at], key = keys[(at - 5) / 3 + 1], queue = queue, status = 'staged',
      parameters = ARGV[at + 3], probed = unknown, waited_for = unknown and 0 or nil, flags = nil, spec = nil,
      label = nil, eta = nil, inputs = nil, edges = nil, waiting = nil, flagged = nil }
    local eta = ARGV[at + 2] ~= '' and time(ARGV[at + 2], 'eta')
    local spec, label = spec_of(ARGV[at + 5], specs, options, notify[queue])
    local wanted = ARGV[at + 4] ~= '' and parse(ARGV[at + 4], 'inputs', true, fresh, id)
    if #task.parameters > (spec.max_bytes or sizes[queue]) then
      @{args.bytes}(task.parameters, spec.max_bytes or sizes[queue], 'parameters')
    end
    bytes = bytes + #task.parameters
    if fresh[task.id] then
      @{reply.fail}('BADARG', 'an id is given twice in one call')
    end
    local before = unknown and none or redis.call('HMGET', task.key, 'status', 'graph', 'queue', 'flags', 'inputs')
    if before[3] and (before[1] or before[2] ~= id or before[3] ~= queue) then
      @{reply.fail}('OTHERQUEUE', 'an id is a task already that is not of this graph; ids are unique in a namespace')
    end
    task.continues = before[3] and true
    if not task.continues then
      if not unknown then
        @{edge_submit.require_free}(task)
      end
      if spec.holds and spec.holds.end_by then
        @{deadlines.require_ahead}(spec.holds.end_by)
      end
      task.flags = (spec.flags or '') .. (wanted and 'wg' or 'g')
      task.spec, task.label, task.eta = spec, label, eta and @{namespace.decimal}(eta)
      new[#new + 1] = task
      if wanted and wanted.some > 0 then
        @{at_least.flag}(task)
      end
    else
      task.flags = before[4]
      if wanted then
        if not string.find(task.flags, 'w', 1, true) then
          task.flags, runs = task.flags .. 'w', nil
        end
        if wanted.some > 0 then
          @{at_least.flag}(task)
          runs = nil
        end
        @{staging.check_least}(before[5], wanted)
        if found[task.id] then
          found[task.id].flags = task.flags
        end
      end
    end
    if wanted then
      number = number + #wanted.upstreams + #wanted.values
      task.inputs = wanted.text
      look(task, wanted, upstream, before[5])
      if task.continues then
        task.fields = { 'inputs', @{staging.merged}(before[5], wanted.text, task.edges), 'flags', task.flags }
      end
    end
    if not task.continues then
      size = size + #task.parameters + #(task.inputs or '')
    elseif wanted then
      size = size + #task.fields[2] - #(before[5] or '')
    end
    size = size + (task.bytes or 0) - (task.had or 0)
    if spec.holds and spec.holds.needs then
      @{creation.require_few_needs}(queue, spec.holds.needs)
    end
    tasks[(at + 1) / 6], fresh[task.id] = task, task
  end
  staged = staged + #new
  if bytes > 8388608 then
    @{reply.fail}('TOOBIG', 'the parameters of this call are over 8388608 bytes: submit the tasks by several calls')
  elseif size > 1024 and size > tonumber(@{graphs.most}()) then
    @{reply.fail}('TOOBIG', 'the parameters and results of this graph are over ' .. @{graphs.most}() .. ' bytes, the setting'
      .. ' graph_bytes: pass references to them, or submit several graphs')
  elseif number > 1000 then
    @{reply.fail}('TOOMANY', 'these tasks wait for too many others: submit them by several calls')
  elseif staged > total then
    @{reply.fail}('BADARG', 'the graph has more tasks than its total')
  end
  local queues = {}
  for queue in pairs(sizes) do
    if not redis.call('ZSCORE', @{namespace.declare}(prefix .. 'queues'), queue) then
      queues[#queues + 1] = queue
    end
  end
  @{staging.plan_bounds}(bounds)
  @{namespace.probe}('LLEN', @{graphs.tasks}(id))
  @{namespace.probe}('LLEN', @{graphs.outside}(id))
  @{namespace.probe}('ZCARD', @{graphs.all}())
  @{namespace.begin}(@{graphs.due}())

  local done = staged == total
  redis.call('ZADD', @{graphs.due}(), done and @{namespace.now} or @{namespace.decimal}(@{namespace.now_us} + 600000000), id)
  redis.call('ZADD', @{graphs.all}(), @{namespace.now}, id)
  redis.call('HSET', @{graphs.key}(id), 'state', done and 'created' or 'staging', 'created', @{namespace.now},
    'total', total, 'left', total, 'staged', staged, 'bytes', size, 'runs', @{staging.runs_with}(runs, new), unpack(facts))
  for _, bound in ipairs(bounds or {}) do
    redis.call('HSET', bound.limits, bound.key, bound.places .. ' -')
  end
  for _, queue in ipairs(queues) do
    redis.call('ZADD', prefix .. 'queues', 0, queue)
  end
  @{staging.stage}(new, id)
  local ids = {}
  for i, task in ipairs(new) do
    ids[i] = task.id
  end
  if ids[1] then
    redis.call('RPUSH', @{graphs.tasks}(id), unpack(ids))
  end
  for _, task in ipairs(tasks) do
    if task.fields then
      redis.call('HSET', task.key, unpack(task.fields))
    end
  end
  @{edge_submit.enter}(tasks, id)
  return @{requests.keep}(done and 'created' or 'staged')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== supply_times
--- Supplies the next slots of a cron schedule: the slots after a time that ${TICK}tick${TICK} returned, or after the last slot of an earlier call. A count of 0 means that there are no further slots.
-- @args now name recurrence after count (slot)*count
-- @role maintenance
-- @reply ${TICK}told${TICK}, or ${TICK}stale${TICK} if the schedule has changed since
-- @errors NOSCHEDULE

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local name, text, after, count = @{contract.arguments}()
  local recurrence, every = @{schedules.recurrence}(text)
  if every then
    @{reply.fail}('BADARG', 'only cron schedules take slots')
  end
  local fire_times = @{schedules.fire_times}(count)
  @{args.none}()
  local schedule = @{schedules.get}(name)
  local tail = @{schedules.tail}(schedule)
  if schedule.recurrence ~= recurrence or after > tail then
    return 'stale'
  end
  local list = schedule.list
  for _, fire_time in ipairs(fire_times) do
    if fire_time > tail and #list < 64 then
      list[#list + 1] = fire_time
    end
  end
  if #fire_times == 0 and after == math.floor(tail) then
    schedule.final = '1'
  end
  @{schedules.plan_next}(schedule)
  @{schedules.probe}()
  @{namespace.begin}()
  @{schedules.write}(schedule)
  return 'told'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== suspend
--- Asks the owner of a task to suspend its program: the owner's heartbeats return ${TICK}attend${TICK}. The lease lives on, and the task keeps its places.
-- @args now id
-- @role client
-- @options by request
-- @reply ${TICK}suspending${TICK}; ${TICK}suspended${TICK} if the program is suspended already
-- @errors NOTASK STATE TOOMANY

local cold
@args.at
@args.next
@controlling.KINDS
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id = @{contract.arguments}()
  local spec = @{args.options}()
  @{requests.replay}('suspend', spec.request)

  spec.what = 'suspend'
  local task = @{actions.one}(id, @{controlling.plan}, @{controlling.ask}, spec)
  return @{requests.keep}(not task.to and @{controls.load}(task).suspended and 'suspended' or 'suspending')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== tag
--- Adds tags to a task, in any state.
-- @args now id count tag*count
-- @role client
-- @reply all tags of the task
-- @errors NOTASK TOOMANY

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, asked = @{contract.arguments}()
  local names = @{tags.asked}(asked)
  local task, wanted = @{tags.read}(id)
  for _, tag in ipairs(names) do
    wanted[tag] = true
  end
  local count = 0
  for _ in pairs(wanted) do
    count = count + 1
  end
  if count > 16 then
    @{reply.fail}('TOOMANY', 'a task has ' .. 16 .. ' tags at most')
  end
  return @{tags.change}(task, wanted)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== tags
--- Lists the tags of a queue's tasks, most used first.
-- @args now queue cursor limit
-- @reply next cursor (0 at the end), then for each tag: its name and its number of tasks
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, cursor, limit = @{contract.arguments}()
  local page, after = @{search.page}(
    @{namespace.key}('tags', queue), { backwards = true, cursor = cursor, score = '+inf' }, limit)
  local answer = { after }
  for i = 1, #page, 2 do
    @{reply.add}(answer, page[i], tonumber(page[i + 1]))
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== take_notices
--- Takes due notices of targets, for their delivery: of each task and graph the first notice that is not delivered. A notice that is not answered within 60 seconds is given to the next caller.
-- @args now limit count target*count
-- @role maintenance
-- @again goes on
-- @reply for each notice ${TICK}task${TICK} or ${TICK}graph${TICK}, its id, the number of the notice, the token for ${TICK}answer_notice${TICK}, the target, the event, its time, the number of attempts of the task, the state before, the cause, its author, the text, the number of earlier tries, and from the record its queue, its title or name, and its method
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local limit, asked = @{contract.arguments}()
  local taken, gone = {}, {}
  for _ = 1, asked do
    local target = @{args.plain}(@{args.next}('target'), 'target')
    @{notices.due}(target, limit, taken, gone)
  end
  @{args.none}()
  if not (taken[1] or gone[1]) then
    return {}
  end
  @{namespace.begin}()
  local token, answer = string.format('%.0f', @{namespace.now_us}), {}
  local till = string.format('%.0f', @{namespace.now_us} + 60000000)
  for _, entry in ipairs(gone) do
    redis.call('ZREM', entry.outbox, entry.owner)
  end
  for _, notice in ipairs(taken) do
    redis.call('HSET', @{notices.key}(notice.owner), '/' .. notice.target, token .. ' ' .. notice.number)
    redis.call('ZADD', notice.outbox, till, notice.owner)
    @{reply.add}(answer, notice.of, notice.subject, notice.number, token, notice.target, notice.event, notice.at,
      notice.attempt, notice.from, notice.why, notice.by, notice.text, notice.tries, notice.queue, notice.title,
      notice.method)
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== targets
--- Lists the targets with notices that are not delivered, by name.
-- @args now
-- @reply for each target its name, the number of tasks and graphs with open notices, when the next of these notices is due, and the number of tasks and graphs with notices that were given up
-- @errors

local cold
@args.at
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@cold

local function command()
  @{namespace.open}()
  @{args.none}()
  local answer = {}
  local names = redis.call('SMEMBERS', @{notices.all}())
  table.sort(names, @{args.before})
  for _, name in ipairs(names) do
    local outbox = @{notices.outbox}(name)
    local open, given_up = redis.call('ZCARD', outbox), redis.call('ZCARD', @{notices.given_up}(name))
    if open + given_up > 0 then
      local due = redis.call('ZRANGE', outbox, 0, 0, 'WITHSCORES')[2]
      @{reply.add}(answer, name, open, due and @{namespace.decimal}(due) or '', given_up)
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== tick
--- Creates the tasks of due slots. An error of one schedule is recorded in this schedule and does not affect other schedules.
-- @args now limit
-- @role maintenance
-- @again goes on
-- @reply number of tasks created, 1 if more slots are due, and when the next slot is due, in seconds, or an empty string; then for each cron schedule that needs more slots: its name, its recurrence, and the time after which it needs them
-- @errors
-- @noted CLOSED DUPLICATE OVERDUE STATE TOOBIG NOLIMIT TOOMANY OTHERQUEUE

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@ticking.tick
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  return @{ticking.tick}(@{contract.arguments}())
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== topology
--- Returns the stored topology: the partition that this namespace is, and the names of all partitions.
-- @args now
-- @reply version of the topology (0 if none is stored); the name of this partition (empty if none is stored); then the names of all partitions
-- @errors

local cold
@args.at
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@cold

local function command()
  @{namespace.open}()
  @{args.none}()
  local version, own, names = @{topology.stored}()
  local answer = { version, own }
  for name in string.gmatch(names, '"([^"]+)"') do
    answer[#answer + 1] = name
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== track
--- Tracks a task: until ${TICK}untrack${TICK}, or until the task is deleted, ${TICK}changes${TICK} returns each of its changes, in every queue.
-- @args now id
-- @role client
-- @options by
-- @reply ${TICK}tracked${TICK}
-- @errors NOTASK TOOMANY

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@record.find
@record.get
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id = @{contract.arguments}()
  local by = @{args.options}().by
  local task = @{record.get}(id)
  @{tracking.plan}()
  if @{tracking.has}(task) and redis.call('ZSCORE', @{tracking.all}(), id) then
    return 'tracked'
  end
  local gone = {}
  if redis.call('ZCARD', @{tracking.all}()) >= 1000 then
    gone = @{tracking.stale}()
    if not gone[1] then
      @{reply.fail}('TOOMANY', 1000 .. ' tasks are tracked already: untrack some, also of those that have ended')
    end
  end
  @{namespace.begin}()
  redis.call('ZADD', @{tracking.all}(), @{namespace.now}, id)
  if gone[1] then
    redis.call('ZREM', @{tracking.all}(), unpack(gone))
  end
  if not @{tracking.has}(task) then
    task.flags = (task.flags or '') .. 'o'
    redis.call('HSET', task.key, 'flags', task.flags)
  end
  @{tracking.note}(task, 'track', by)
  return 'tracked'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== tracked
--- Lists the tracked tasks of the namespace, newest first.
-- @args now cursor limit
-- @reply next cursor (0 at the end), then for each task: its id, its queue, its state and when tracking began
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@record.find
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local cursor, limit = @{contract.arguments}()
  local page, after = @{search.page}(@{tracking.all}(), { backwards = true, cursor = cursor, score = '+inf' }, limit)
  local answer = { after }
  for i = 1, #page, 2 do
    local task = @{record.find}(page[i])
    if task and @{tracking.has}(task) then
      @{reply.add}(answer, page[i], task.queue, task.status, page[i + 1])
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== undelivered
--- Lists the open notices of a target by the time at which they are due, or with ${TICK}given_up${TICK} its given-up notices by the time at which they were given up. A page has all these notices of up to ${TICK}limit${TICK} tasks and graphs.
-- @args now target cursor limit
-- @options given_up
-- @reply next cursor (0 at the end), then for each notice: ${TICK}task${TICK} or ${TICK}graph${TICK}, its id, the number of the notice, the event, its time, the number of attempts of the task, its stage, the number of tries, the time and text of the last answer, and when it is due; empty if it waits for an earlier notice or was given up
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local target, cursor, limit = @{contract.arguments}()
  local stage = @{args.options}().given_up and 'given_up' or 'open'
  local index = stage == 'open' and @{notices.outbox}(target) or @{notices.given_up}(target)
  local page, after = @{search.page}(index, { cursor = cursor, score = '-inf' }, limit)
  local answer = { after }
  for i = 1, #page, 2 do
    local owner, due = page[i], stage == 'open' and @{namespace.decimal}(page[i + 1]) or ''
    local graph = @{notices.graph}(owner)
    local found, low, high = @{notices.read}(owner)
    for number = low, high do
      local notice = @{notices.parse}(found, number)
      if notice and notice.target == target and notice.stage == stage then
        @{reply.add}(answer, graph and 'graph' or 'task', graph or owner, notice.number, notice.event, notice.at,
          notice.attempt, notice.stage, notice.tries, notice.answered, notice.answer, due)
        due = ''
      end
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== undepend
--- Removes an upstream task from a waiting task. A task without upstream tasks is ready to run. A result that the task expected from the removed upstream task is ${TICK}null${TICK}.
-- @args now id upstream
-- @role client
-- @options request
-- @reply ${TICK}waiting${TICK}, or ${TICK}pending${TICK} or ${TICK}scheduled${TICK} if this was the last upstream task
-- @errors NOTASK STATE UPSTREAM

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, upstream = @{contract.arguments}()
  local request = @{args.options}().request
  @{requests.replay}('undepend', request)

  local task = @{edit_edges.task}(id)
  if task.status ~= 'waiting' then
    @{record.refuse}(task.status, 'waiting')
  elseif redis.call('HEXISTS', @{edges.upstreams}(id), upstream) == 0 then
    @{namespace.check_slot}(@{edges.upstreams}(id))
    return 'waiting'
  end
  @{namespace.probe}('ZCARD', @{edges.dependents}(upstream))
  local plan = { id = id, task = task, set = task.set }
  local open = redis.call('HLEN', @{edges.upstreams}(id)) - 1
  local kind, mark, slots = @{edges.parse}(redis.call('HGET', @{edges.upstreams}(id), upstream))
  if kind == 'some' then
    @{at_least.plan_removal}(task.set, mark)
  end
  if open == 0 or task.set and @{at_least.is_ready}(task.set, open) then
    @{edge_end.plan_ready}(plan, task.slots, task.bytes)
    @{state.plan_follow}(plan)
  end
  @{namespace.begin}()
  @{edges.fill}(id, @{edges.slots}(slots))
  local text = @{edit_edges.without}(task.inputs, upstream)
  if not next(@{at_least.named}(text)) then
    text = @{at_least.without}(text)
  end
  if text ~= '' then
    redis.call('HSET', task.key, 'inputs', text)
  else
    redis.call('HDEL', task.key, 'inputs')
  end
  @{edge_end.meet}({ id = upstream }, plan)
  @{state.follow}(plan)
  return @{requests.keep}(plan.to or 'waiting')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== unhold
--- Releases a held task: it is pending, behind the tasks that wait there, or scheduled if its eta is in the future.
-- @args now id
-- @role client
-- @options by request
-- @reply ${TICK}pending${TICK} or ${TICK}scheduled${TICK}
-- @errors NOTASK STATE

local cold
@args.at
@args.next
@event_entries.id
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id = @{contract.arguments}()
  local spec = @{args.options}()
  @{requests.replay}('unhold', spec.request)

  spec.what = 'unhold'
  return @{requests.keep}(@{actions.one}(id, @{holding.plan_release}, @{holding.release}, spec).to)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== unregister
--- Removes a listener that holds no task from a queue.
-- @args now queue listener
-- @role worker
-- @again ${TICK}absent${TICK}
-- @reply ${TICK}unregistered${TICK}, or ${TICK}absent${TICK}
-- @errors HELD

local cold
@args.at
@args.next
@namespace.meta
@listeners.plan_drain
@listeners.drained
@namespace.prefix
@namespace.key
@listeners.probe
@listeners.remove
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local queue, listener = @{contract.arguments}()
  if redis.call('LLEN', @{namespace.declare}(@{namespace.key}('reserved_tasks', queue .. '_' .. listener))) > 0 then
    @{reply.fail}('HELD', 'the listener holds tasks: complete, fail or release them, or adopt them if its process is dead')
  end
  @{listeners.probe}(queue)
  @{workers.plan_leave}(listener)
  local rounds = @{namespace.prefix} .. 'rounds_' .. listener
  @{namespace.probe}('HLEN', rounds)
  @{namespace.begin}()
  redis.call('UNLINK', rounds)
  return @{listeners.remove}(queue, listener) == 1 and 'unregistered' or 'absent'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== unschedule
--- Removes a schedule. The tasks that it has created remain.
-- @args now name
-- @role administrator
-- @options by request
-- @reply ${TICK}removed${TICK}
-- @errors NOSCHEDULE

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local name = @{contract.arguments}()
  local options = @{args.options}()
  @{requests.replay}('unschedule', options.request)
  local schedule = @{schedules.get}(name)
  local named = @{schedules.values}(redis.call('HGET', schedule.key, 'options') or '').limits
  if named then
    @{shared_count.plan}()
  end
  @{schedules.probe}()
  @{audit.plan}()
  @{namespace.begin}()
  @{shared_count.recount}(nil, named)
  redis.call('ZREM', @{namespace.prefix} .. 'schedules', name)
  redis.call('ZREM', @{namespace.prefix} .. 'low_schedules', name)
  redis.call('UNLINK', schedule.key)
  @{audit.add}(options.by, 'unschedule', 'schedule', name, schedule.recurrence, '')
  return @{requests.keep}('removed')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== unsuspend
--- Asks the owner of a suspended task to continue its program.
-- @args now id
-- @role client
-- @options by request
-- @reply ${TICK}continuing${TICK}; ${TICK}continued${TICK} if the program is not suspended
-- @errors NOTASK STATE TOOMANY

local cold
@args.at
@args.next
@controlling.KINDS
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id = @{contract.arguments}()
  local spec = @{args.options}()
  @{requests.replay}('unsuspend', spec.request)

  spec.what = 'unsuspend'
  local task = @{actions.one}(id, @{controlling.plan}, @{controlling.ask}, spec)
  return @{requests.keep}((task.to or @{controls.load}(task).suspended) and 'continuing' or 'continued')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== untag
--- Removes tags from a task, in any state.
-- @args now id count tag*count
-- @role client
-- @reply the remaining tags of the task
-- @errors NOTASK

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id, count = @{contract.arguments}()
  local names = @{tags.asked}(count)
  local task, wanted = @{tags.read}(id)
  for _, tag in ipairs(names) do
    wanted[tag] = nil
  end
  return @{tags.change}(task, wanted)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== untrack
--- Stops tracking a task. Its earlier changes stay in the stream.
-- @args now id
-- @role client
-- @options by
-- @reply ${TICK}untracked${TICK}
-- @errors NOTASK

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@record.find
@record.get
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local id = @{contract.arguments}()
  local by = @{args.options}().by
  local task = @{record.get}(id)
  if not @{tracking.has}(task) then
    return 'untracked'
  end
  @{tracking.plan}()
  @{namespace.begin}()
  local left = string.gsub(task.flags, 'o', '')
  @{tracking.forget}(id)
  if left == '' then
    redis.call('HDEL', task.key, 'flags')
  else
    redis.call('HSET', task.key, 'flags', left)
  end
  @{tracking.note}(task, 'untrack', by)
  return 'untracked'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== why
--- Returns the facts that decide whether and when a task runs.
-- @args now id
-- @reply name and value in turn: status queue eta paused ahead listeners node deadline cancel now priority key weight needs able concurrency used rate_until key_concurrency key_used key_rate_until lacking failures losses releases uncounted order full draining silent open upstream last slots least chances end_by shared limit limit_weight limit_concurrency limit_used limit_rate_until limit_turn; values that do not apply are empty
-- @errors NOTASK

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.shared_tables
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@record.find
@record.get
@record.held
@contract.arguments
@cold

local function command()
  local FAR = 10000
  local CHAIN = 100

  local function waits_for(id, flags, graph)
    local open, upstream, set = @{edge_end.open}(id, flags)
    return graph and @{edge_end.holding}(id) or upstream, open, set
  end

  local function last_of(id)
    for _ = 1, CHAIN do
      local v = redis.call('HMGET', @{namespace.key}('task', id), 'status', 'flags', 'graph')
      local upstream = v[1] == 'waiting' and waits_for(id, v[2], v[3])
      if not upstream then
        break
      end
      id = upstream
    end
    return id
  end

  @{namespace.open}()
  local id = @{contract.arguments}()
  local task = @{record.get}(id, 'eta', 'failures', 'losses', 'releases', 'uncounted')
  local queue = task.queue
  if task.flags then
    @{holdings.load}(task)
  end
  local ahead, deadline = '', ''
  if task.status == 'pending' then
    ahead = @{queue_positions.ahead}(task, FAR) or ''
  elseif @{record.held}(task) then
    deadline = redis.call('ZSCORE', @{namespace.key}('leases', queue), @{record.lease}(task)) or ''
  end
  local stand = @{listeners.count}(queue)
  local answer = {
    'status', task.status, 'queue', queue, 'eta', task.status == 'scheduled' and task.extra[1] or '',
    'paused', redis.call('HGET', @{namespace.meta}, 'paused:' .. queue) or '', 'ahead', ahead,
    'listeners', stand.present,
    'node', task.node, 'deadline', deadline, 'cancel', task.cancel or '', 'now', @{namespace.now},
    'priority', task.priority or '0', 'key', task.fair_key or '', 'weight', task.weight or '1', 'needs', task.needs or '',
    'failures', task.extra[2] or '0', 'losses', task.extra[3] or '0',
  }
  if task.status == 'pending' then
    @{reply.add}(answer, unpack(@{ranking.facts}(task)))
  end
  @{reply.add}(answer, 'releases', task.extra[4] or '0', 'uncounted', task.extra[5] or '0',
    'order', @{record.held}(task) and @{orders.of}(task) or '',
    'full', stand.full, 'draining', stand.draining, 'silent', stand.silent)
  if task.status == 'waiting' then
    local upstream, open, set = waits_for(id, task.flags, task.graph)
    local last = upstream and last_of(upstream)
    @{reply.add}(answer, 'open', open, 'slots', redis.call('HGET', @{edges.inputs}(id), 'slots') or '0',
      upstream and 'upstream', upstream, last ~= upstream and 'last' or nil, last)
    if set and set.least > 0 then
      @{reply.add}(answer, 'least', set.least, 'chances', @{at_least.chances}(set))
    end
  end
  if task.end_by then
    @{reply.add}(answer, 'end_by', task.end_by)
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

=== workers
--- Lists the workers of the namespace that report.
-- @args now cursor limit
-- @reply next cursor (0 at the end), then for each worker: its listener, name and version; its queues, or the patterns that select its queues, separated by commas; what it offers, separated by commas; its slots and free slots; the queues that it drains; when its reports began, and when it was last seen; ${TICK}alive${TICK} or ${TICK}dead${TICK}; the methods that it has programs for, separated by commas (${TICK}*${TICK}: any); its problems; ${TICK}ending${TICK} if it drains and ends, else empty; and how many of its attempts failed in the last hour
-- @errors

local cold
@args.at
@args.next
@namespace.meta
@namespace.prefix
@namespace.declared
@namespace.gap
@namespace.now_us
@namespace.now
@namespace.open
@namespace.key
@workers.moment
@workers.key
@contract.arguments
@cold

local function command()
  @{namespace.open}()
  local cursor, limit = @{contract.arguments}()
  local page = redis.call('ZSCAN', @{namespace.prefix} .. 'workers', cursor, 'COUNT', limit)
  local answer = { page[1] }
  for i = 1, #page[2], 2 do
    local listener = page[2][i]
    local v = redis.call('HMGET', @{workers.key}(listener),
      'name', 'version', 'queues', 'has', 'slots', 'free', 'draining', 'since', 'at',
        'methods', 'trouble', 'patterns', 'failed')
    if v[3] and v[9] then
      local drained, ends = {}, v[7] == '1' and 'ending' or ''
      for queue in string.gmatch(v[3], '[^,]+') do
        if ends ~= '' or redis.call('HEXISTS', @{namespace.key}('orders', queue), 'l:' .. listener) == 1 then
          drained[#drained + 1] = queue
        end
      end
      v[7] = table.concat(drained, ',')
      v[3] = v[12] and v[12] ~= '' and v[12] or v[3]
      local life = @{namespace.now_us} - @{workers.moment}(v[9]) > (30 * 1000000) and 'dead' or 'alive'
      @{reply.add}(answer, listener, v[1] or '', v[2] or '', v[3], v[4] or '', v[5] or '', v[6] or '', v[7], v[8] or '',
        v[9], life, v[10] or '', v[11] or '', ends, v[13] or '')
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return @{reply.refusal}(answer)

`;
