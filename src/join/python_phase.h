// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/samples/frame.h"
#include "model/samples/stack_table.h"
#include "model/samples/string_table.h"

namespace sparkprof {

// The activity of a Python worker, by its stack.
enum class PythonPhase : uint8_t {
  kNone = 0,         // no Python frame yet
  kRuntime,          // PySpark's own loops, start and end of a task
  kDeserialization,  // rows from the JVM become Python objects; without CPU: waits for them
  kSerialization,    // results on their way to the JVM
  kOutputLoop,       // the same, in a loop that also draws the user's results
  kUser,             // the user's function and its callees
};

// True for the files of PySpark itself, of Python's way to start it, and of sparkprof's hook.
bool IsPysparkFile(std::string_view file);

// The phase of a frame called from a stack of phase `parent`, by the names in PySpark 3.0 to 4.1. Code that is not
// PySpark's is the user's, unless a serializer called it (pandas and pyarrow, when they convert a batch). `function`
// may be qualified.
PythonPhase PhaseOf(PythonPhase parent, std::string_view function, std::string_view file);

// Determines the phases of one table's stacks, once per stack; tables may grow meanwhile. Frames of other languages
// inherit the phase of their caller.
class PythonPhases {
 public:
  PythonPhases(const StringTable* strings, const FrameTable* frames, const StackTable* stacks)
      : strings_(strings), frames_(frames), stacks_(stacks) {}

  PythonPhase Of(StackId stack);

 private:
  const StringTable* strings_;
  const FrameTable* frames_;
  const StackTable* stacks_;
  std::vector<PythonPhase> known_{PythonPhase::kNone};  // for each stack; a parent's id is smaller than its children's
};

}  // namespace sparkprof
