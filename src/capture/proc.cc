// SPDX-License-Identifier: Apache-2.0
#include "capture/proc.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <span>

#include "base/io/file.h"
#include "base/saturate.h"
#include "base/text/text.h"

namespace sparkprof {

namespace {

// Removes and returns the part of `text` before `separator`, which is removed too.
std::string_view Take(std::string_view* text, char separator) {
  const size_t end = std::min(text->find(separator), text->size());
  const std::string_view part = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return part;
}

// The number in a line "KEY:  NUMBER …" with this key.
std::optional<std::string_view> ValueOf(std::string_view line, std::string_view key) {
  if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ':') return std::nullopt;
  const std::string_view value = Trim(line.substr(key.size() + 1));
  return value.substr(0, value.find_first_of(" \t"));
}

tl::unexpected<Error> NotANumber(std::string_view name, std::string_view key) {
  return Fail(std::string(name).append(": ").append(key).append(" is not a number"));
}

// Where to add the number of a line, multiplied by `scale`.
struct NumberLine {
  std::string_view key;
  int64_t* value;
  int64_t scale;
};

// Adds the numbers of known lines. Returns the number of lines found. Duplicates are an error.
Result<size_t> AddNumbers(std::string_view text, std::string_view name, std::span<const NumberLine> known) {
  size_t found = 0;
  while (!text.empty()) {
    const std::string_view line = Take(&text, '\n');
    for (const NumberLine& number : known) {
      const auto value = ValueOf(line, number.key);
      if (!value) continue;
      const auto parsed = ParseInteger(*value);
      if (!parsed || *parsed < 0 || *parsed > std::numeric_limits<int64_t>::max() / number.scale) {
        return NotANumber(name, number.key);
      }
      AddSaturated(*parsed * number.scale, number.value);
      ++found;
      break;
    }
  }
  return found;
}

constexpr int64_t kKibi = 1024;

}  // namespace

Result<ProcessStat> ParseProcessStat(std::string_view text, std::string_view name) {
  // The command is in parentheses and may contain any byte, including parentheses: the last one closes it.
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return Fail(std::string(name) + ": expected \"PID (COMMAND) STATE …\"");
  }
  ProcessStat stat;
  const auto pid = ParseInteger(Trim(text.substr(0, open)));
  stat.command = text.substr(open + 1, close - open - 1);
  const struct {
    size_t field;
    int64_t* value;
  } kNumbers[] = {{4, &stat.parent_pid},
                  {10, &stat.minor_faults},
                  {12, &stat.major_faults},
                  {14, &stat.user_ticks},
                  {15, &stat.system_ticks},
                  {16, &stat.children_user_ticks},
                  {17, &stat.children_system_ticks},
                  {20, &stat.threads},
                  {22, &stat.start_ticks},
                  {23, &stat.virtual_bytes},
                  {24, &stat.rss_pages}};
  // Fields from the third (state) on, as numbered in proc(5).
  std::string_view rest = Trim(text.substr(close + 1));
  const std::string_view state = Take(&rest, ' ');
  const auto* number = std::begin(kNumbers);
  size_t field = 4;
  for (; number != std::end(kNumbers) && !rest.empty(); ++field) {
    const std::string_view part = Take(&rest, ' ');
    if (field != number->field) continue;
    const auto value = ParseInteger(part);
    if (!value) return Fail(std::string(name) + ": field " + std::to_string(field) + " is not a number");
    *number->value = *value;
    ++number;
  }
  if (!pid || state.size() != 1 || number != std::end(kNumbers)) {
    return Fail(std::string(name) + ": expected at least 24 fields as in proc(5), found " + std::to_string(field - 1));
  }
  stat.pid = *pid;
  stat.state = state[0];
  return stat;
}

Result<ProcessIo> ParseProcessIo(std::string_view text, std::string_view name) {
  ProcessIo io;
  const NumberLine lines[] = {{"read_bytes", &io.read_bytes, 1}, {"write_bytes", &io.write_bytes, 1}};
  const auto found = AddNumbers(text, name, lines);
  if (!found) return tl::unexpected(found.error());
  if (*found != std::size(lines)) return Fail(std::string(name) + ": expected read_bytes and write_bytes");
  return io;
}

Result<MemoryShares> ParseMemoryShares(std::string_view text, std::string_view name) {
  MemoryShares memory;
  const NumberLine lines[] = {{"Pss", &memory.proportional, kKibi},      {"Private_Clean", &memory.own, kKibi},
                              {"Private_Dirty", &memory.own, kKibi},     {"Private_Hugetlb", &memory.own, kKibi},
                              {"Shared_Clean", &memory.shared, kKibi},   {"Shared_Dirty", &memory.shared, kKibi},
                              {"Shared_Hugetlb", &memory.shared, kKibi}, {"Swap", &memory.swap, kKibi}};
  const auto found = AddNumbers(text, name, lines);
  if (!found) return tl::unexpected(found.error());
  if (*found == 0) return Fail(std::string(name) + ": expected lines such as \"Pss: 12 kB\"");
  return memory;
}

Result<ProcessStatus> ParseProcessStatus(std::string_view text, std::string_view name) {
  ProcessStatus status;
  const NumberLine lines[] = {{"VmHWM", &status.peak_rss_bytes, kKibi},
                              {"VmSwap", &status.swap_bytes, kKibi},
                              {"voluntary_ctxt_switches", &status.voluntary_switches, 1},
                              {"nonvoluntary_ctxt_switches", &status.involuntary_switches, 1}};
  const auto found = AddNumbers(text, name, lines);
  if (!found) return tl::unexpected(found.error());
  if (*found < 2) return Fail(std::string(name) + ": expected at least the context switches");
  // Four IDs: real, effective, saved, file system.
  const size_t uid = text.find("\nUid:");
  if (uid != std::string_view::npos) {
    std::string_view ids = Trim(text.substr(uid + 5, text.find('\n', uid + 1) - uid - 5));
    Take(&ids, '\t');
    status.user_id = ParseInteger(Take(&ids, '\t')).value_or(-1);
  }
  return status;
}

Result<ProcessStat> ReadProcessStat(int64_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  const Result<std::string> text = ReadFile(path);
  if (!text) return tl::unexpected(text.error());
  return ParseProcessStat(*text, path);
}

Result<MemoryShares> ReadMemoryShares(int64_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/smaps_rollup";
  const Result<std::string> text = ReadFile(path);
  if (!text) return tl::unexpected(text.error());
  return ParseMemoryShares(*text, path);
}

Result<int64_t> ReadPeakBytes(int64_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/status";
  const Result<std::string> text = ReadFile(path);
  if (!text) return tl::unexpected(text.error());
  const auto status = ParseProcessStatus(*text, path);
  if (!status) return tl::unexpected(status.error());
  return status->peak_rss_bytes;
}

std::string BootId() {
  const Result<std::string> text = ReadFile("/proc/sys/kernel/random/boot_id");
  return text ? std::string(Trim(*text)) : std::string();
}

}  // namespace sparkprof
