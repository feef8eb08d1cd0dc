// SPDX-License-Identifier: Apache-2.0
#include "inputs/send_recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/io/file.h"
#include "base/text/text.h"
#include "http/signing.h"
#include "model/segment/block.h"
#include "verb.h"

namespace sparkprof {
namespace {

constexpr size_t kBodyBytes = size_t{8} << 20;
constexpr int kTries = 5;
constexpr int64_t kMaxRetrySeconds = 60;

}  // namespace

Result<RecordingSender> RecordingSender::Create(const CollectorOptions& options) {
  Result<ServerClient> client = ServerClient::Create(options);
  if (!client) return tl::unexpected(client.error());
  Result<std::string> secret = NewUploadSecret();
  if (!secret) return tl::unexpected(secret.error());
  return RecordingSender(std::move(*client), std::move(*secret));
}

Result<void> RecordingSender::Add(std::string_view block) {
  if (!body_.empty() && body_.size() + block.size() > kBodyBytes) {
    if (Result<void> sent = Flush(); !sent) return sent;
  }
  body_ += block;
  ++blocks_;
  return {};
}

Result<void> RecordingSender::Flush() {
  if (body_.empty()) return {};
  for (int attempt = 1;; ++attempt) {
    const Result<HttpResponse> response =
        client_.Send("POST", "/recordings", body_,
                     {{"content-type", "application/octet-stream"}, {std::string(kUploadSecretHeader), secret_}});
    if (response && response->status == 200) break;
    // If the server never responded, the address is wrong or its certificate is not trusted.
    const bool may_help = response ? response->status == 429 || response->status >= 500 : bytes_ > 0;
    const std::string problem = response ? ServerClient::Describe(*response) : response.error().message;
    if (!may_help || attempt == kTries) return Fail(problem);
    const std::optional<int64_t> wait = response ? ParseInteger(response->Header("retry-after")) : std::nullopt;
    const int64_t seconds = std::clamp<int64_t>(wait.value_or(int64_t{1} << attempt), 0, kMaxRetrySeconds);
    Complain(fmt::format("{}; again in {} s", problem, seconds));
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
  }
  bytes_ += body_.size();
  body_.clear();
  return {};
}

Result<RecordingSummary> SummaryOf(const std::string& path) {
  const Result<MappedFile> file = MappedFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  RecordingSummary summary;
  const Result<RecordingStatus> read = ReadBlocks(file->Bytes(), path, [&](Segment&& segment) {
    summary.has_ended = summary.has_ended || segment.final;
    summary.has_spark_events = summary.has_spark_events || !segment.spark_events.empty();
  });
  if (!read) return tl::unexpected(read.error());
  return summary;
}

Result<void> SendRecording(const std::string& path, RecordingSender* sender) {
  const Result<MappedFile> file = MappedFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  Result<void> sent;
  const Result<RecordingStatus> status = ReadBlocksInPlace(file->Bytes(), path, [&](BlockInPlace&& block) {
    if (sent) sent = sender->Add(block.OwnBlock());
  });
  if (!sent) return sent;
  if (!status) return tl::unexpected(status.error());
  if (status->damaged_blocks + status->skipped_bytes > 0) {
    Complain(fmt::format("skipped {} bytes with {} damaged blocks, the first: {}", status->skipped_bytes,
                         status->damaged_blocks, status->first_error));
  }
  if (status->cut_bytes > 0) {
    Complain(fmt::format("{}: truncated: skipped {} bytes of the last block", path, status->cut_bytes));
  }
  return {};
}

}  // namespace sparkprof
