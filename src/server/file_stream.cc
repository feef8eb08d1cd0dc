// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "server/responses.h"

namespace sparkprof {
namespace {

constexpr size_t kStreamPiece = size_t{64} << 10;

Result<FileDescriptor> OpenNameless(const std::string& folder) {
  std::string path = folder + "/answer-";
  Result<FileDescriptor> file = CreateUnguessableFile(&path, "", O_RDWR);
  if (file) unlink(path.c_str());
  return file;
}

}  // namespace

Result<HttpBodyStream> StreamThroughFile(const std::string& folder,
                                         const std::function<Result<void>(const WritePiece& write)>& make) {
  Result<FileDescriptor> opened = OpenNameless(folder);
  if (!opened) return tl::unexpected(opened.error());
  const auto file = std::make_shared<FileDescriptor>(std::move(*opened));
  const Result<void> written = make([&](std::string_view piece) { return WriteAll(file->Get(), piece, folder); });
  if (!written) return tl::unexpected(written.error());
  return HttpBodyStream([file, folder, offset = off_t{0}](std::string* piece) mutable -> Result<void> {
    piece->resize(kStreamPiece);
    const ssize_t got = pread(file->Get(), piece->data(), piece->size(), offset);
    if (got < 0) return tl::unexpected(SystemError(folder, "cannot read"));
    piece->resize(static_cast<size_t>(got));
    offset += got;
    return {};
  });
}

}  // namespace sparkprof
