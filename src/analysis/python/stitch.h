// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// The language of the stacks of an application's samples.
enum class Language : uint8_t {
  kMerged,  // Python's stacks below the JVM frames that wait for them
  kJvm,
  kPython,
};
std::string_view LanguageName(Language language);  // "merged", "jvm", "python"
std::optional<Language> ParseLanguage(std::string_view name);

// Makes `application.profile.samples` those of `language`. Call once, on samples as read (those of the JVM).
//
// Merged: the stacks of a task's Python worker are below the Spark frame that waits for it, below "[python worker]".
//     cpu   The samples of the JVM and of Python, each once. Python's go below the frame where the task's thread waited
//   in the same time bucket, else in other buckets of the task, else of the stage.
//     wall  The samples of the JVM, each once. The time in which a task's thread waited for Python is divided among the
//   Python stacks of that bucket: running time (PythonState) among running stacks, waiting time among waiting stacks.
//   Python's wall time beside a busy JVM is omitted, because it would count the task's time twice. If Python's state is
//   unknown, the leaf is "[python: not sampled]". A task without wall samples in the JVM has Python's.
// Samples of Python processes without a task have their own roots, those of the driver's program below "[python
// driver]". Other events of the JVM are unchanged.
//     pyalloc, pyfree   As cpu, but below the frame where the task's thread waited most of the time.
//     pylive   What all processes held when they together held most; see SetPythonHeld.
//
// In the driver's program, waits of PySpark for the JVM are below "[waiting for the JVM]": frames of Py4J and of the
// socket, or with `fold` only this frame. In workers, PySpark's own frames are below "[pyspark runtime]",
// "[deserialization]", "[serialization]" or "[waiting for the JVM]"; with `fold` only these remain, and the functions
// that PySpark calls.
void ChooseLanguage(Application* application, Language language, bool fold);

}  // namespace sparkprof
