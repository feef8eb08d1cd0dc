// SPDX-License-Identifier: Apache-2.0
#include "jfr_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/time.h"

namespace sparkprof {
namespace {

constexpr uint64_t kMaxChunkSize = uint64_t{256} << 20;
constexpr char kName[] = "the profiler's JFR";
// Constants of <linux/memfd.h> and <linux/falloc.h>, which some C libraries lack.
constexpr unsigned kCloseOnExec = 1;
constexpr int kKeepSize = 1;
constexpr int kPunchHole = 2;

std::string ReadAt(int fd, uint64_t offset, size_t size) {
  std::string bytes(size, '\0');
  size_t got = 0;
  while (got < size) {
    const ssize_t part = pread(fd, bytes.data() + got, size - got, static_cast<off_t>(offset + got));
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) break;
    got += static_cast<size_t>(part);
  }
  bytes.resize(got);
  return bytes;
}

}  // namespace

Result<JfrTail> JfrTail::Create() {
  FileDescriptor file(static_cast<int>(syscall(SYS_memfd_create, "sparkprof.jfr", kCloseOnExec)));
  if (!file.IsOpen()) {
    const char* const folder = std::getenv("TMPDIR");
    std::string path = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/sparkprof-XXXXXX";
    file = FileDescriptor(mkostemp(path.data(), O_CLOEXEC));
    if (!file.IsOpen()) return tl::unexpected(SystemError(path, "cannot create"));
    unlink(path.c_str());
  }
  return JfrTail(std::move(file));
}

std::string JfrTail::Path() const { return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_.Get()); }

void JfrTail::ReadChunks(int64_t before_ns, const OnChunk& on_chunk) {
  struct stat status;
  if (fstat(file_.Get(), &status) != 0) return;
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size < offset_) offset_ = released_ = 0;  // the profiler restarted and truncated the file
  while (offset_ < size) {
    const auto header = ParseJfrChunkHeader(ReadAt(file_.Get(), offset_, kJfrHeaderSize), kName, offset_);
    if (!header) {
      // An incomplete header is not an error. After invalid bytes, no further chunk can be found.
      if (size - offset_ < kJfrHeaderSize) break;
      dropped_bytes_ += static_cast<int64_t>(size - offset_);
      offset_ = size;
      break;
    }
    const bool whole = !header->IsBeingWritten() && header->size <= size - offset_;
    const bool too_new = header->ticks_per_second == kNanosPerSecond && header->start_ticks >= before_ns;
    if (!whole || too_new) break;
    if (header->size > kMaxChunkSize) {
      dropped_bytes_ += static_cast<int64_t>(header->size);
    } else {
      on_chunk(ReadAt(file_.Get(), offset_, header->size), *header, offset_);
    }
    offset_ += header->size;
  }
  Release();
}

void JfrTail::Release() {
  const uint64_t page_size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t end = offset_ / page_size * page_size;
  if (end <= released_) return;
  fallocate(file_.Get(), kKeepSize | kPunchHole, static_cast<off_t>(released_), static_cast<off_t>(end - released_));
  released_ = end;
}

}  // namespace sparkprof
