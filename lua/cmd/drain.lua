--- Orders a listener to end what it holds and take no more. Its heartbeats tell it, and a reserve that finds nothing.
-- @args now queue listener on
-- @reply `draining`, or `listening`
-- @errors NOLISTENER
space.open()
local queue = args.plain(args.next('queue'), 'queue')
local listener = args.listener(args.next('listener'))
local on = args.flag(args.next('on'), 'on')
args.none()
listeners.require(queue, listener)
local orders = space.key('orders', queue)
space.probe('HLEN', orders)
space.begin()
if on then
  redis.call('HSET', orders, 'l:' .. listener, 'drain')
  redis.call('PUBLISH', orders, '')
  return 'draining'
end
redis.call('HDEL', orders, 'l:' .. listener)
return 'listening'
