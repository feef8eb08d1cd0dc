// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// Whose stacks an application's samples are.
enum class Language : uint8_t {
  kMerged,  // Python's stacks under the JVM frames that wait for them
  kJvm,
  kPython,
};
std::string_view LanguageName(Language language);  // "merged", "jvm", "python"
std::optional<Language> ParseLanguage(std::string_view name);

// Makes `application.profile.samples` those of `language`; done once, on samples as they were read (the JVM's).
//
// Merged: what a task's Python worker did hangs under the Spark frame that waits for it, below "[python worker]".
//   cpu   the JVM's samples and Python's, each once: Python's go under the frame at which the task's thread waited in
//   the
//         same time bucket, else in other buckets of the task, else of the stage.
//   wall  the JVM's samples, each once: the time that a task's thread waited for Python is shared out over what Python
//         did in that bucket, while it ran (PythonState) over stacks that ran, while it waited over stacks that waited.
//         Python's wall time beside a busy JVM is not in it: it would count the task's time twice. Where it is not
//         known what Python did, "[python: not sampled]" is the leaf. A task whose JVM thread has no wall samples at
//         all has Python's.
// Samples of Python processes that run no task stand on their own, those of the driver's program below "[python
// driver]". Other events stay as they are.
//
// In the driver's program what PySpark sends to the JVM and waits for is "[waiting for the JVM]": Py4J's frames and
// those of the socket stand below it, with `fold` only it. In workers PySpark's own frames stand below "[pyspark
// runtime]", "[deserialisation]", "[serialisation]" or
// "[waiting for the JVM]"; with `fold` only these stay, and what PySpark calls.
void ChooseLanguage(Application* application, Language language, bool fold);

}  // namespace sparkprof
