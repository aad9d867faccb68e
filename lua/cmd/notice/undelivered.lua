--- Lists the open notices of a target by the time at which they are due, or with `given_up` its given-up notices by the
--   time at which they were given up. A page has all these notices of up to `limit` tasks and graphs.
-- @args now target cursor limit
-- @options given_up
-- @reply next cursor (0 at the end), then for each notice: `task` or `graph`, its id, the number of the notice, the
--   event, its time, the number of attempts of the task, its stage, the number of tries, the time and text of the last
--   answer, and when it is due; empty if it waits for an earlier notice or was given up
-- @errors
namespace.open()
local target, cursor, limit = contract.arguments()
local stage = args.options().given_up and 'given_up' or 'open'
local index = stage == 'open' and notices.outbox(target) or notices.given_up(target)
local page, after = search.page(index, { cursor = cursor, score = '-inf' }, limit)
local answer = { after }
for i = 1, #page, 2 do
  local owner, due = page[i], stage == 'open' and namespace.decimal(page[i + 1]) or ''
  local graph = notices.graph(owner)
  local found, low, high = notices.read(owner)
  for number = low, high do
    local notice = notices.parse(found, number)
    if notice and notice.target == target and notice.stage == stage then
      reply.add(answer, graph and 'graph' or 'task', graph or owner, notice.number, notice.event, notice.at,
        notice.attempt, notice.stage, notice.tries, notice.answered, notice.answer, due)
      due = ''
    end
  end
end
return answer
