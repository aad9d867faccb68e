--- Adds new events to the statistics of their days, each event once, and then trims the events.
-- @args now queue limit
-- @role maintenance
-- @again goes on
-- @reply number of events read, 1 if there are more events, number of events that were trimmed before they were read
-- @errors
namespace.open()
return aggregation.aggregate(contract.arguments())
