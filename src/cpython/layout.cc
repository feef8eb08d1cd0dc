// SPDX-License-Identifier: Apache-2.0
#include "cpython/layout.h"

#include <cstring>
#include <initializer_list>
#include <string>

namespace sparkprof {
namespace {

#if defined(__aarch64__)
constexpr uint32_t kMutexDifference = 16;  // glibc's pthread types are larger on aarch64
#else
constexpr uint32_t kMutexDifference = 0;
#endif

CPythonLayout Layout39() {
  CPythonLayout layout;
  layout.minor = 9;
  layout.interpreters_head = 32;
  layout.current_thread = 568 + kMutexDifference;
  layout.threads_head = 8;
  layout.thread_next = 8;
  layout.thread_interpreter = 16;
  layout.thread_frame = 24;
  layout.thread_id = 176;
  layout.thread_size = 184;
  layout.frame_previous = 24;
  layout.frame_code = 32;
  layout.frame_instruction = 104;
  layout.instruction_is_index = true;
  layout.frame_state = 116;
  layout.state_running = layout.state_unwinding = 1;
  layout.frame_size = 120;
  layout.code_filename = 104;
  layout.code_name = 112;
  layout.code_first_line = 40;
  layout.code_line_table = 120;
  layout.code_size = 128;
  layout.text_ascii_size = 48;
  layout.text_compact_size = 72;
  return layout;
}

CPythonLayout Layout310() {
  CPythonLayout layout = Layout39();
  layout.minor = 10;
  layout.frame_instruction = 96;
  layout.instruction_scale = 2;
  layout.frame_state = 108;
  layout.state_running = 0;
  layout.state_unwinding = 2;
  layout.frame_size = 112;
  return layout;
}

CPythonLayout Layout311() {
  CPythonLayout layout;
  layout.minor = 11;
  layout.interpreters_head = 40;
  layout.current_thread = 576 + kMutexDifference;
  layout.threads_head = 16;
  layout.thread_next = 8;
  layout.thread_interpreter = 16;
  layout.thread_frame = 56;
  layout.has_cframe = true;
  layout.cframe_frame = 8;
  layout.thread_id = 152;
  layout.native_id = 160;
  layout.stack_chunk = 296;
  layout.thread_size = 312;
  layout.frame_previous = 48;
  layout.frame_code = 32;
  layout.frame_instruction = 56;
  layout.frame_owner = 69;
  layout.frame_is_entry = 68;
  layout.frame_size = 72;
  layout.code_filename = 112;
  layout.code_name = 120;
  layout.code_qualname = 128;
  layout.code_first_line = 72;
  layout.code_line_table = 136;
  layout.code_instructions = 184;
  layout.code_size = 144;
  layout.text_ascii_size = 48;
  layout.text_compact_size = 72;
  return layout;
}

CPythonLayout Layout312() {
  CPythonLayout layout = Layout311();
  layout.minor = 12;
  layout.current_thread = 0;
  layout.threads_head = 72;
  layout.gil_pointer = 384;
  layout.gil_holder = 8;
  layout.gil_locked = 16;
  layout.cframe_frame = 0;
  layout.thread_id = 136;
  layout.native_id = 144;
  layout.stack_chunk = 232;
  layout.thread_size = 248;
  layout.frame_previous = 8;
  layout.frame_code = 0;
  layout.frame_owner = 70;
  layout.frame_is_entry = 0;
  layout.first_foreign_owner = 3;
  layout.code_first_line = 68;
  layout.code_instructions = 192;
  layout.text_ascii_size = 40;
  layout.text_compact_size = 56;
  return layout;
}

// A section of _Py_DebugOffsets: 64-bit numbers, the first of which is the size of the described structure.
class Section {
 public:
  Section(std::string_view bytes, size_t first, size_t fields) : bytes_(bytes), first_(first), fields_(fields) {}

  uint64_t Size() const { return Field(0); }
  size_t End() const { return first_ + fields_; }

  // The offset in field `position`. Clears `good` unless a value of `width` bytes there is aligned and inside the
  // structure.
  uint32_t Offset(size_t position, size_t width, bool* good) const {
    const uint64_t offset = Field(position);
    if (Size() > kLargestStructure || offset > Size() || Size() - offset < width || offset % width != 0) *good = false;
    return *good ? static_cast<uint32_t>(offset) : 0;
  }

 private:
  // The runtime state itself is the largest structure.
  static constexpr uint64_t kLargestStructure = 64 << 20;

  uint64_t Field(size_t position) const {
    uint64_t value = 0;
    const size_t at = (first_ + position) * sizeof value;
    if (at + sizeof value <= bytes_.size()) std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }

  std::string_view bytes_;
  size_t first_;   // position of its first number
  size_t fields_;  // number of fields
};

uint64_t NumberAt(std::string_view bytes, size_t position) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + position * sizeof value, sizeof value);
  return value;
}

uint32_t Largest(std::initializer_list<uint32_t> offsets) {
  uint32_t largest = 0;
  for (const uint32_t offset : offsets) largest = offset > largest ? offset : largest;
  return largest;
}

}  // namespace

Result<CPythonLayout> LayoutOfVersion(int major, int minor) {
  if (major == 3 && minor == 9) return Layout39();
  if (major == 3 && minor == 10) return Layout310();
  if (major == 3 && minor == 11) return Layout311();
  if (major == 3 && minor == 12) return Layout312();
  return Fail("Python " + std::to_string(major) + "." + std::to_string(minor) +
              ": unsupported version; CPython " SPARKPROF_PYTHON_VERSIONS " are supported");
}

Result<CPythonLayout> LayoutFromDebugOffsets(std::string_view runtime) {
  if (runtime.size() < kDebugOffsetsSize) return Fail("_PyRuntime: truncated debug offsets");
  if (!runtime.starts_with("xdebugpy"))
    return Fail("_PyRuntime: expected \"xdebugpy\" at its start (Python 3.13 or later)");
  const auto version = static_cast<uint32_t>(NumberAt(runtime, 1));
  const int minor = static_cast<int>(version >> 16 & 0xFF);
  if (version >> 24 != 3 || minor < 13 || minor > 15) {
    return Fail("_PyRuntime: debug offsets of version " + std::to_string(version >> 24) + "." + std::to_string(minor) +
                " are unsupported; 3.13 to 3.15 are supported");
  }
  const bool is_314 = minor >= 14;  // 3.14 or later
  const bool is_315 = minor >= 15;
  const Section runtime_state(runtime, 3, 3);
  const Section interpreter(runtime, runtime_state.End(), is_314 ? 16 : 13);
  const Section thread(runtime, interpreter.End(), is_315 ? 16 : 9);
  const Section error(runtime, thread.End(), is_315 ? 1 : 0);
  const Section frame(runtime, error.End(), is_314 ? 8 : 6);
  const Section code(runtime, frame.End(), is_314 ? 11 : 10);
  const Section object(runtime, code.End(), 2);

  bool good = true;
  CPythonLayout layout;
  layout.minor = minor;
  layout.free_threaded = NumberAt(runtime, 2) != 0;
  layout.interpreters_head = runtime_state.Offset(2, 8, &good);
  layout.threads_head = interpreter.Offset(3, 8, &good);
  const size_t gil = is_314 ? 12 : 11;  // fields: locked, holder
  if (!layout.free_threaded) {
    layout.gil_locked = interpreter.Offset(gil, 4, &good);
    layout.gil_holder = interpreter.Offset(gil + 1, 8, &good);
  }
  if (is_314) layout.code_generation = interpreter.Offset(14, 8, &good);
  layout.thread_next = thread.Offset(2, 8, &good);
  layout.thread_interpreter = thread.Offset(3, 8, &good);
  layout.thread_frame = thread.Offset(4, 8, &good);
  const size_t id = is_315 ? 8 : 5;  // fields: pthread_t, OS thread ID, chunk
  layout.thread_id = thread.Offset(id, 8, &good);
  layout.native_id = thread.Offset(id + 1, 8, &good);
  layout.stack_chunk = thread.Offset(id + 2, 8, &good);
  layout.thread_size = 8 + Largest({layout.thread_next, layout.thread_interpreter, layout.thread_frame,
                                    layout.thread_id, layout.native_id, layout.stack_chunk + 8});
  layout.frame_previous = frame.Offset(1, 8, &good);
  layout.frame_code = frame.Offset(2, 8, &good);
  layout.frame_instruction = frame.Offset(3, 8, &good);
  layout.frame_owner = frame.Offset(5, 1, &good);
  layout.first_foreign_owner = 3;
  layout.frame_size =
      8 + Largest({layout.frame_previous, layout.frame_code, layout.frame_instruction, layout.frame_owner});
  layout.code_filename = code.Offset(1, 8, &good);
  layout.code_name = code.Offset(2, 8, &good);
  layout.code_qualname = code.Offset(3, 8, &good);
  layout.code_line_table = code.Offset(4, 8, &good);
  layout.code_first_line = code.Offset(5, 4, &good);
  layout.code_instructions = code.Offset(9, 1, &good);
  layout.code_size = 8 + Largest({layout.code_filename, layout.code_name, layout.code_qualname, layout.code_line_table,
                                  layout.code_first_line});
  layout.object_type = object.Offset(1, 8, &good);
  if (!good || layout.thread_size > 4096 || layout.frame_size > 256 || layout.code_size > 512) {
    return Fail("_PyRuntime: debug offsets outside their structures");
  }
  // Text and bytes objects start with the object header; the rest is unchanged since 3.12.
  const uint32_t header = layout.free_threaded ? 32 : 16;
  layout.text_length = header;
  layout.text_state = header + 16;
  layout.text_ascii_size = header + 24;
  layout.text_compact_size = header + 40;
  layout.text_kind_shift = layout.free_threaded && is_314 ? 8 : 2;
  layout.bytes_length = header;
  layout.bytes_data = header + 16;
  return layout;
}

Result<CPythonLayout> LayoutFor(uint32_t version_hex, std::string_view runtime) {
  const int major = static_cast<int>(version_hex >> 24);
  const int minor = static_cast<int>(version_hex >> 16 & 0xFF);
  return major == 3 && minor >= 13 ? LayoutFromDebugOffsets(runtime) : LayoutOfVersion(major, minor);
}

}  // namespace sparkprof
