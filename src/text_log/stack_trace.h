// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// The exceptions of one log record: a JVM's chain of causes, a Python traceback, or a traceback inside a JVM's
// exception.
struct StackTrace {
  struct Exception {
    std::string name;     // "java.io.IOException", "ValueError"
    std::string message;  // its first line
  };
  std::vector<Exception> exceptions;  // as printed: the first one was logged
  size_t root = 0;                    // of `exceptions`: the cause of all
  std::vector<std::string> frames;    // "com.example.Job.run", "job.py:parse": without line numbers and generated names
};

// Parses `message` and the further lines of a record. Omits suppressed exceptions.
StackTrace ParseStackTrace(std::string_view message, std::string_view continuation);

// True for the user's code: not the JVM's, Scala's, Python's, Spark's or Hadoop's.
bool IsApplicationFrame(std::string_view frame);

}  // namespace sparkprof
