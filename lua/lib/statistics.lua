-- Statistics of queues, added up from their events.
local statistics = {}
