-- For `luacheck lua`, which `make lint` runs.
std = "lua51"
max_line_length = 120
-- What the server gives to a script.
read_globals = { "redis", "cjson", "KEYS", "ARGV" }
-- The files of the library: the composer finds them by the names that a source uses. `contract` is made from contract/.
globals = { "contract" }
for file in io.popen("ls lua/lib/*"):lines() do
  globals[#globals + 1] = file:match("^(.*)%.lua$")
end
ignore = {
  "241", -- a library's own table is written to and read by others
  "431", -- so it hides the global of its name
}
