// SPDX-License-Identifier: Apache-2.0
#include "capture/proc.h"

#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace sparkprof {

Result<ProcessStat> ParseProcessStat(std::string_view text, const std::string& name) {
  // The command is in parentheses and may contain any byte, including parentheses: the last one closes it.
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return Fail(name + ": expected \"PID (COMMAND) STATE …\"");
  }
  ProcessStat stat;
  const auto pid = ParseInteger(Trim(text.substr(0, open)));
  stat.command = text.substr(open + 1, close - open - 1);
  // Fields from the third (state) on, as numbered in proc(5).
  const std::vector<std::string_view> fields = Split(Trim(text.substr(close + 1)), ' ');
  constexpr size_t kFirst = 3;
  if (!pid || fields.size() < 25 - kFirst || fields[0].size() != 1) {
    return Fail(name + ": expected at least 24 fields as in proc(5), found " + std::to_string(fields.size() + 2));
  }
  stat.pid = *pid;
  stat.state = fields[0][0];
  const struct {
    size_t field;
    int64_t* value;
  } kNumbers[] = {{4, &stat.parent_pid},
                  {14, &stat.user_ticks},
                  {15, &stat.system_ticks},
                  {16, &stat.children_user_ticks},
                  {17, &stat.children_system_ticks},
                  {20, &stat.threads},
                  {22, &stat.start_ticks},
                  {24, &stat.rss_pages}};
  for (const auto& number : kNumbers) {
    const auto value = ParseInteger(fields[number.field - kFirst]);
    if (!value) return Fail(name + ": field " + std::to_string(number.field) + " is not a number");
    *number.value = *value;
  }
  return stat;
}

Result<ProcessIo> ParseProcessIo(std::string_view text, const std::string& name) {
  ProcessIo io;
  int found = 0;
  for (const std::string_view line : Split(text, '\n')) {
    const size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon);
    int64_t* const value = key == "read_bytes" ? &io.read_bytes : key == "write_bytes" ? &io.write_bytes : nullptr;
    if (value == nullptr) continue;
    const auto number = ParseInteger(Trim(line.substr(colon + 2)));
    if (!number) return Fail(name + ": " + std::string(key) + " is not a number");
    *value = *number;
    ++found;
  }
  if (found != 2) return Fail(name + ": expected read_bytes and write_bytes");
  return io;
}

Result<ProcessStat> ReadProcessStat(int64_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  const Result<std::string> text = ReadFile(path);
  if (!text) return tl::unexpected(text.error());
  return ParseProcessStat(*text, path);
}

namespace {

// Of a line "KEY:   NUMBER kB".
Result<int64_t> ReadKilobytes(int64_t pid, const char* file, std::string_view key) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + file;
  const Result<std::string> text = ReadFile(path);
  if (!text) return tl::unexpected(text.error());
  for (const std::string_view line : Split(*text, '\n')) {
    if (!line.starts_with(key)) continue;
    const std::string_view value = Trim(line.substr(key.size()));
    const auto kilobytes = ParseInteger(value.substr(0, value.find(' ')));
    if (kilobytes) return *kilobytes * 1024;
  }
  return Fail(path + ": expected a line " + std::string(key) + " NUMBER kB");
}

}  // namespace

Result<int64_t> ReadProportionalBytes(int64_t pid) { return ReadKilobytes(pid, "smaps_rollup", "Pss:"); }

Result<int64_t> ReadPeakBytes(int64_t pid) { return ReadKilobytes(pid, "status", "VmHWM:"); }

std::string BootId() {
  const Result<std::string> text = ReadFile("/proc/sys/kernel/random/boot_id");
  return text ? std::string(Trim(*text)) : std::string();
}

}  // namespace sparkprof
