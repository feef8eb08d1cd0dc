// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cstddef>

#include "base/text/characters.h"
#include "text_log/stack_trace.h"

namespace sparkprof {
namespace {

bool IsClassNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '$';
}

bool IsExceptionClass(std::string_view name) {
  const size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  if (last.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0) return false;
  if (std::isupper(static_cast<unsigned char>(last[0])) == 0) return false;
  for (const std::string_view end :
       {"Exception", "Error", "Throwable", "Failure", "Interrupt", "Exit", "Fault", "OOM"}) {
    if (last.ends_with(end)) return true;
  }
  return dot != std::string_view::npos && last.find('$') != std::string_view::npos &&
         last.find("Exception") != std::string_view::npos;
}

}  // namespace

bool BeginsWithExceptionClass(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && IsClassNameCharacter(text[end])) ++end;
  if (end < text.size() && text[end] != ':' && text[end] != ' ') return false;
  if (!IsExceptionClass(text.substr(0, end))) return false;
  // One plain word ("Error", "Failure") is an exception only before a colon.
  return end < text.size() ? text[end] == ':' : text.substr(0, end).size() > sizeof("Exception");
}

LineKind LineKindOf(std::string_view line) {
  if (line.empty()) return LineKind::kPlain;
  for (const std::string_view begin : {"Caused by: ", "Traceback (most recent call last)", "Suppressed: "}) {
    if (line.starts_with(begin)) return LineKind::kException;
  }
  const char first = line[0];
  if (first == ' ' || first == '\t') {
    const size_t text = line.find_first_not_of(" \t");
    if (text == std::string_view::npos) return LineKind::kPlain;
    const std::string_view rest = line.substr(text);
    return rest.starts_with("Suppressed: ") || rest.starts_with("Caused by: ") ? LineKind::kException
                                                                               : LineKind::kStack;
  }
  for (const std::string_view begin :
       {"at ", "... ", "Driver stacktrace:", "During handling of the above exception", "+- ", ":- ", ":  ", "+  ", "*(",
        "== ", "The above exception was the direct cause", "[Container ", "Container ", "Diagnostics", "Exit ",
        // An ApiException of Kubernetes's Python client.
        "Reason: ", "HTTP response headers: ", "HTTP response body: "}) {
    if (line.starts_with(begin)) return LineKind::kStack;
  }
  if (line == "}" || line == ")" || line == "{" || line == "]" || line == "};") return LineKind::kStack;
  // YARN's diagnostics: "[2020-01-01 10:00:00.123]Container exited with a non-zero exit code 137".
  if (first == '[' && line.size() > 25 && IsDigit(line[1]) && line[24] == ']') {
    return LineKind::kStack;
  }
  return BeginsWithExceptionClass(line) ? LineKind::kException : LineKind::kPlain;
}

bool BeginsUnloggedException(std::string_view line) {
  return EndsThread(line) || line.starts_with("Traceback (most recent call last)");
}

bool EndsThread(std::string_view line) { return line.starts_with("Exception in thread "); }

bool AnnouncesTraceback(std::string_view line) {
  return line.starts_with("During handling of the above exception") ||
         line.starts_with("The above exception was the direct cause");
}

}  // namespace sparkprof
