--- Does the next part of what is to be done beside tasks: for the namespace what `tick` and `settle` do, for each of
--   these queues what `promote`, `requeue_orphans`, `tally`, `retain` and `mend` do, in turn, every two seconds,
--   whoever calls. An error of one part is replied and keeps nothing else from being done.
-- @args now count queue*count
-- @again goes on
-- @reply the part that was done, or an empty string; how much it did; 1 if something is due at once; when the next is
--   due, in seconds; the error of the part, or an empty string; then for each cron schedule that needs more slots its
--   name, its rhythm, and after what time
-- @errors
-- @noted CLOSED DUPLICATE OVERDUE STATE task.* OTHERQUEUE STOPPING UPSTREAM
local meta = namespace.open_with('limits', 'run', 'gap')
local count = contract.arguments()
local queues, named = {}, {}
for i = 1, count do
  local queue = args.plain(args.next('queue'), 'queue')
  if named[queue] then
    reply.fail('BADARG', 'a queue is named twice in one call')
  end
  queues[i], named[queue] = queue, true
end
args.none()
return upkeep.step(queues, meta)
