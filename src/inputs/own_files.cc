// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "inputs/content_kind.h"

namespace sparkprof {
namespace {

struct OwnFile {
  std::string_view name_end;
  std::string_view begin;  // start of the content
  std::string_view part;   // text near the start of the content
};

constexpr OwnFile kOwnFiles[] = {
    {".html", "<!doctype html>", "<title>sparkprof report</title>"},
    {".html", "<!doctype html>", "<title>Applications · sparkprof</title>"},
    {".svg", "<?xml", "Flame graph by sparkprof"},
    {"summary.json", "{\"applications\":[", "\"counts\":{\"jobs\":"},
    {"summary.json", "{\"suite\":", "\"status\":"},
    {".auto.json", "{\"group\":", "\"versions\":"},
    {"run.json", "{\"id\":", "\"suiteName\":"},
    {"processes.jsonl", "{\"timeStamp\":", "\"monitor\":"},
    {"log.jsonl", "{\"msgTime\":", "\"msgType\":"},
    {"audit.jsonl", "{\"time\":", "\"role\":"},
    {"notified.jsonl", "{", "\"id\":"},
    {"catalogue.duckdb", "", "DUCK"},
    {"catalogue.duckdb.wal", "", ""},
};

// Empty until the first write, or always.
constexpr std::string_view kOftenEmpty[] = {"processes.jsonl", "log.jsonl", "audit.jsonl", "notified.jsonl",
                                            "output.log"};

bool IsLock(std::string_view name, std::string_view head) {
  constexpr size_t kLongest = 256;  // limit for the text about the process that holds the lock
  return (name == "lock" || name.ends_with(".lock")) && head.size() <= kLongest;
}

}  // namespace

bool IsOwnFile(std::string_view path, std::string_view head) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (IsLock(name, head)) return true;
  if (head.empty()) return std::find(std::begin(kOftenEmpty), std::end(kOftenEmpty), name) != std::end(kOftenEmpty);
  return std::any_of(std::begin(kOwnFiles), std::end(kOwnFiles), [&](const OwnFile& own) {
    return name.ends_with(own.name_end) && head.starts_with(own.begin) && head.find(own.part) != std::string_view::npos;
  });
}

}  // namespace sparkprof
