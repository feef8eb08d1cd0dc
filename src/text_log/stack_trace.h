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
  size_t root = 0;                    // index in `exceptions` of the root cause
  std::vector<std::string> frames;    // "com.example.Job.run", "job.py:parse": without line numbers and generated names
};

// Parses `message` and the further lines of a record. Omits suppressed exceptions.
StackTrace ParseStackTrace(std::string_view message, std::string_view continuation);

// True for the user's code: not the JVM's, Scala's, Python's, Spark's or Hadoop's.
bool IsApplicationFrame(std::string_view frame);

// The kind of a line without a record's header.
enum class LineKind {
  kStack,      // part of a stack trace or of another block of text: belongs to what is before it
  kException,  // "java.io.IOException: …", "Caused by: …", "Traceback …": like kStack, and starts an exception
  kPlain,      // anything else
};
LineKind LineKindOf(std::string_view line);

// True for a line that starts an unlogged exception: "Exception in thread …" of a JVM, "Traceback …" of Python.
bool BeginsUnloggedException(std::string_view line);

// True for "Exception in thread …", which a JVM prints when a thread ends, never a part of a message.
bool EndsThread(std::string_view line);

// "During handling of the above exception, …", "The above exception was the direct cause …": the traceback that follows
// belongs to what is before it.
bool AnnouncesTraceback(std::string_view line);

// True if the first word of `text` is an exception's class ("java.lang.X", "ValueError", "pyspark.errors.Y"), followed
// by ':' or nothing.
bool BeginsWithExceptionClass(std::string_view text);

}  // namespace sparkprof
