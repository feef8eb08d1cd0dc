// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// Offsets of CPython's structures for a stack walk, in bytes, on 64-bit Linux. 3.9 to 3.12 come from a table (CPython's
// headers pystate.h, frameobject.h, pycore_frame.h, code.h of each minor version). From 3.13 on, the interpreter
// publishes them as _Py_DebugOffsets, the first bytes of _PyRuntime (pycore_debug_offsets.h). 0 means that the version
// does not have the field, unless 0 is a valid offset.
struct CPythonLayout {
  int minor = 0;
  bool free_threaded = false;

  // _PyRuntime
  uint32_t interpreters_head = 0;
  uint32_t current_thread = 0;  // thread state that holds the GIL; up to 3.11

  // PyInterpreterState
  uint32_t threads_head = 0;
  uint32_t gil_pointer = 0;  // 3.12: pointer to the structure with holder and locked
  uint32_t gil_holder = 0;   // 3.12: in that structure; later: in the interpreter state
  uint32_t gil_locked = 0;
  uint32_t code_generation = 0;  // 3.14 and later

  // PyThreadState
  uint32_t thread_next = 0;
  uint32_t thread_interpreter = 0;
  uint32_t thread_frame = 0;  // pointer to the top frame, or with `has_cframe` to a _PyCFrame that points to it
  bool has_cframe = false;    // 3.11 and 3.12
  uint32_t cframe_frame = 0;
  uint32_t thread_id = 0;    // pthread_t
  uint32_t native_id = 0;    // OS thread ID; 3.11 and later
  uint32_t stack_chunk = 0;  // newest chunk of the data stack, followed by the end of its used part; 3.11 and later
  uint32_t thread_size = 0;  // size of the part that is read

  // PyFrameObject (up to 3.10) or _PyInterpreterFrame
  uint32_t frame_previous = 0;
  uint32_t frame_code = 0;
  uint32_t frame_instruction = 0;
  uint32_t frame_owner = 0;
  uint8_t first_foreign_owner = 0xFF;  // frames with this or a larger owner belong to C code
  bool instruction_is_index = false;   // up to 3.10: f_lasti; later: a pointer into the code
  uint32_t instruction_scale = 1;      // factor from f_lasti to bytes
  // Up to 3.10, one byte of a frame shows whether it is running; 0 = unavailable.
  uint32_t frame_state = 0;
  int8_t state_running = 0;
  int8_t state_unwinding = 0;  // running cleanup code of an exception
  // 3.11: one byte of a frame shows whether it is the first of a call of the interpreter's loop; 0 = other versions.
  uint32_t frame_is_entry = 0;
  uint32_t frame_size = 0;

  // PyObject, PyCodeObject
  uint32_t object_type = 8;
  uint32_t code_filename = 0;
  uint32_t code_name = 0;
  uint32_t code_qualname = 0;  // 3.11 and later
  uint32_t code_first_line = 0;
  uint32_t code_line_table = 0;
  uint32_t code_instructions = 0;  // 3.11 and later
  uint32_t code_size = 0;

  // PyASCIIObject, PyBytesObject
  uint32_t text_length = 16;
  uint32_t text_state = 32;
  uint32_t text_ascii_size = 0;    // offset of ASCII characters
  uint32_t text_compact_size = 0;  // offset of other characters
  uint32_t text_kind_shift = 2;    // position within the state: kind (3 bits), compact, ascii
  uint32_t bytes_length = 16;
  uint32_t bytes_data = 32;
};

// Supported CPython versions, for messages and help.
#define SPARKPROF_PYTHON_VERSIONS "3.9 to 3.15"

// The layout of 3.9 to 3.12.
Result<CPythonLayout> LayoutOfVersion(int major, int minor);

// The layout published in the first bytes of _PyRuntime, 3.13 to 3.15. Checks each offset against the size of its
// structure; trusts nothing.
Result<CPythonLayout> LayoutFromDebugOffsets(std::string_view runtime);

// Number of bytes of _PyRuntime that LayoutFromDebugOffsets needs.
inline constexpr size_t kDebugOffsetsSize = 480;

// The layout for this interpreter version (sys.hexversion); `runtime` contains the first kDebugOffsetsSize bytes of
// _PyRuntime.
Result<CPythonLayout> LayoutFor(uint32_t version_hex, std::string_view runtime);

}  // namespace sparkprof
