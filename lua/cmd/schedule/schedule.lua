--- Creates a schedule, or changes the schedule with this name.
-- @args now name queue recurrence parameters count (slot)*count
-- @role administrator
-- @options schedule.* task.* by request
-- @reply `created`, `changed`, or `existing` if nothing differs
-- @errors TOOBIG TOOMANY task.*
namespace.open()
local name, queue, text, parameters, count = contract.arguments()
local recurrence, every, offset = schedules.recurrence(text)
local fire_times = schedules.fire_times(count)
local options, texts, own = args.options(), {}, {}
for _, option in ipairs({ 'overlap', 'missed', 'late', 'start', 'end', 'times', 'by', 'request' }) do
  own[option], options[option] = options[option], nil
end
for _, option in ipairs({ 'late', 'times' }) do
  own[option] = own[option] and string.format('%d', own[option])
end
for i = args.at + 1, #ARGV, 2 do
  if not own[ARGV[i]] then
    texts[#texts + 1] = ARGV[i] .. '=' .. schedules.quoted(ARGV[i + 1])
  end
end
table.sort(texts, args.before)
if every and #fire_times > 0 then
  reply.fail('BADARG', 'only cron schedules take slots: count must be 0')
end
local new = {
  name = name, key = namespace.key('schedule', name), recurrence = recurrence, every = every, offset = offset,
  queue = queue, parameters = parameters,
  options = table.concat(texts, ' '), overlap = own.overlap or 'skip', missed = own.missed or 'one', late = own.late,
  start = own.start, ['end'] = own['end'], times = own.times, changed = namespace.now,
}
local most = options.max_bytes or tonumber(settings.get(queue, 'max_bytes'))
if options.key and (new.overlap == 'queue' or new.overlap == 'cancel') then
  reply.fail('BADARG', 'overlap queue and cancel set a key: leave out key, or use skip or allow')
end
args.bytes(parameters, most, 'parameters')
creation.spec(options)

requests.replay('schedule', own.request)
local old = schedules.find(name)
local same = old ~= nil
for _, field in ipairs(schedules.definition()) do
  same = same and old[field] == new[field]
end
if same then
  return 'existing'
end
if not old and namespace.probe('ZCARD', namespace.prefix .. 'schedules') >= schedules.MOST then
  reply.fail('TOOMANY', 'there are 100000 schedules already')
end
old = old or { made = '0', skipped = '0', passed = '0', created = namespace.now, done = namespace.now }
for _, field in ipairs({ 'made', 'skipped', 'passed', 'created', 'done', 'paused' }) do
  new[field] = old[field]
end
new.list = old.list
if not old.next or old.recurrence ~= new.recurrence or old.start ~= new.start then
  new.list = fire_times
  if tonumber(new.done) < tonumber(namespace.now) then
    new.done = namespace.now
  end
end
if tonumber(new['end'] or math.huge) <= math.max(namespace.now_us / 1000000, tonumber(new.start or 0)) then
  reply.fail('BADARG', 'the end must be in the future and after the start')
elseif tonumber(new.made) >= tonumber(new.times or math.huge) then
  reply.fail('BADARG', 'the schedule has created that many tasks already')
end
schedules.plan_next(new)
if new.ended or not every and not new.list[1] then
  reply.fail('BADARG', every and 'no slot lies before the end'
    or 'no slot is in the future, between start and end')
end
local names, named = options.limits, schedules.values(old.options or '').limits
if names or named then
  shared_count.plan()
end
schedules.probe()
audit.plan()
namespace.begin()
shared_count.recount(names, named)
schedules.write(new, 'created', 'changed', unpack(schedules.definition()))
audit.add(own.by, 'schedule', 'schedule', name, old.recurrence, recurrence,
  'queue ' .. queue .. ', parameters ' .. audit.payload(parameters))
return requests.keep(old.recurrence and 'changed' or 'created')
