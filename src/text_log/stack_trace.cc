// SPDX-License-Identifier: Apache-2.0
#include "text_log/stack_trace.h"

#include <algorithm>
#include <cctype>

#include "base/text/characters.h"
#include "base/text/text.h"
#include "model/stable_name.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxFrames = 400;
constexpr size_t kMaxExceptions = 50;
constexpr std::string_view kLibraryPath = "/site-packages/";

bool IsFrameNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '$';
}

std::string_view TrimLeft(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

// "class: message", "class (message", "class".
void AddException(std::string_view text, StackTrace* trace) {
  if (trace->exceptions.size() >= kMaxExceptions) return;
  size_t end = 0;
  while (end < text.size() && IsFrameNameCharacter(text[end])) ++end;
  std::string_view message = text.substr(end);
  // "MatchError: (1,2)" keeps its bracket.
  const bool has_colon = message.starts_with(':');
  while (!message.empty() && (message[0] == ':' || message[0] == ' ' || (message[0] == '(' && !has_colon))) {
    message.remove_prefix(1);
  }
  trace->exceptions.push_back({std::string(text.substr(0, end)), std::string(message)});
}

// True for "name: text" and "name", as Python ends a traceback: "pyarrow.lib.ArrowInvalid: Could not convert".
bool BeginsWithName(std::string_view line) {
  const auto end = std::find_if_not(line.begin(), line.end(), IsFrameNameCharacter);
  return end != line.begin() && (end == line.end() || *end == ':');
}

// Exceptions' classes that are named within a message: "Lost task …: java.io.IOException: disk full".
void AddExceptionsWithin(std::string_view message, StackTrace* trace) {
  size_t at = 0;
  while (at < message.size()) {
    const std::string_view rest = message.substr(at);
    if (BeginsWithExceptionClass(rest)) {
      AddException(rest, trace);
      return;
    }
    const size_t next = rest.find(": ");
    if (next == std::string_view::npos) return;
    at += next + 2;
  }
}

// "java.base/java.lang.Thread.run(Thread.java:840)" without module and place.
std::string JvmFrame(std::string_view text) {
  text = text.substr(0, text.find('('));
  const size_t module = text.rfind('/');
  // A module or class loader precedes a slash; a lambda's address follows one.
  if (module != std::string_view::npos && text.substr(module).find("0x") == std::string_view::npos) {
    text.remove_prefix(module + 1);
  }
  std::string name = StableName(text);
  // Numbers of generated classes and of anonymous functions differ from compilation to compilation.
  std::string stable;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool is_digit = IsDigit(name[i]);
    if (!is_digit) stable += name[i];
  }
  return stable;
}

// `File "/home/me/job.py", line 12, in parse` as "job.py:parse", with the path's end from the library on.
std::string PythonFrame(std::string_view text) {
  const size_t begin = text.find('"');
  const size_t end = text.find('"', begin + 1);
  if (end == std::string_view::npos) return {};
  std::string_view file = text.substr(begin + 1, end - begin - 1);
  const size_t function = text.find(", in ", end);
  const size_t library = file.rfind(kLibraryPath);
  const bool is_spark = file.find("pyspark") != std::string_view::npos || file.find("/py4j/") != std::string_view::npos;
  if (library != std::string_view::npos) {
    file.remove_prefix(library + 1);
  } else {
    file.remove_prefix(file.rfind('/') + 1);
  }
  std::string frame = is_spark && library == std::string_view::npos ? "pyspark/" : "";
  frame.append(file).append(":");
  if (function != std::string_view::npos) frame.append(text.substr(function + 5));
  return frame;
}

}  // namespace

StackTrace ParseStackTrace(std::string_view message, std::string_view continuation) {
  StackTrace trace;
  if (message.starts_with("Exception in thread ")) {
    const size_t name = message.find("\" ");
    if (name != std::string_view::npos) AddException(message.substr(name + 2), &trace);
  } else {
    AddExceptionsWithin(message, &trace);
  }
  bool has_python_root = false, is_in_traceback = false;
  while (!continuation.empty()) {
    const std::string_view line = WithoutCarriageReturn(TakeLine(&continuation));
    const bool is_suppressed = line.starts_with("\t\t") || line.starts_with("\tSuppressed: ");
    if (is_suppressed || line.empty()) continue;
    const std::string_view text = TrimLeft(line);
    const bool is_indented = text.size() < line.size();
    if (text.starts_with("Caused by: ")) {
      AddException(text.substr(sizeof("Caused by: ") - 1), &trace);
      has_python_root = false;
    } else if (is_indented && text.starts_with("at ")) {
      if (trace.frames.size() < kMaxFrames) trace.frames.push_back(JvmFrame(text.substr(3)));
    } else if (is_indented && text.starts_with("File \"")) {
      if (trace.frames.size() < kMaxFrames) trace.frames.push_back(PythonFrame(text));
      is_in_traceback = true;
    } else if (line.starts_with(": ") && BeginsWithExceptionClass(line.substr(2))) {
      AddException(line.substr(2), &trace);  // of Java, in Python's Py4JJavaError
    } else if (line.starts_with("The above exception was the direct cause") && !trace.exceptions.empty()) {
      // Python prints the cause first.
      if (!has_python_root) trace.root = trace.exceptions.size() - 1;
      has_python_root = true;
    } else if (!is_indented && (BeginsWithExceptionClass(line) || (is_in_traceback && BeginsWithName(line)))) {
      AddException(line, &trace);
    }
    is_in_traceback &= is_indented;
    if (!has_python_root && !trace.exceptions.empty()) trace.root = trace.exceptions.size() - 1;
  }
  if (!has_python_root && !trace.exceptions.empty()) trace.root = trace.exceptions.size() - 1;
  return trace;
}

bool IsApplicationFrame(std::string_view frame) {
  for (const std::string_view begin :
       {"java.", "javax.", "jdk.", "sun.", "com.sun.", "scala.", "org.apache.spark.", "org.apache.hadoop.", "py4j.",
        "io.netty.", "pyspark/", "site-packages/", "org.apache.parquet.", "org.sparkproject."}) {
    if (frame.starts_with(begin)) return false;
  }
  return !frame.empty();
}

}  // namespace sparkprof
