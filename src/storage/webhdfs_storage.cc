// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pwd.h>
#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "base/text/hadoop_configuration.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "base/time.h"
#include "http/signing.h"
#include "storage/credentials.h"
#include "storage/http_requests.h"
#include "storage/listing_builder.h"
#include "storage/storages.h"

namespace sparkprof {
namespace {

constexpr uint16_t kHttpPort = 9870, kHttpsPort = 9871;
constexpr uint64_t kMaxHdfsListBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxHdfsErrorBytes = uint64_t{64} << 10;
constexpr int kMaxRedirects = 3;

std::string UserName() {
  if (const char* const name = std::getenv("HADOOP_USER_NAME"); name != nullptr && *name != '\0') return name;
  const passwd* const entry = getpwuid(geteuid());
  return entry == nullptr ? std::string() : entry->pw_name;
}

std::string EncodeHdfsPath(std::string_view path) {
  std::string encoded;
  for (const std::string_view segment : Split(path, '/')) {
    if (!segment.empty()) encoded += "/" + PercentEncode(segment);
  }
  return encoded;
}

// NameNode URLs of a nameservice from the site files in HADOOP_CONF_DIR; empty if it is a host name.
std::vector<Url> NameNodesOf(const std::string& scheme, const std::string& nameservice) {
  const char* const folder = std::getenv("HADOOP_CONF_DIR");
  if (folder == nullptr || *folder == '\0') return {};
  const HadoopConfiguration properties = ReadHadoopConfiguration(folder);
  const auto value = [&](const std::string& name) {
    const auto found = properties.find(name);
    return found == properties.end() ? std::string() : found->second;
  };
  const std::string http = scheme == "swebhdfs" ? "https" : "http";
  std::vector<Url> name_nodes;
  const std::string ids = value("dfs.ha.namenodes." + nameservice);
  for (const std::string_view id : Split(ids, ',')) {
    const std::string address = value(fmt::format("dfs.namenode.{}-address.{}.{}", http, nameservice, Trim(id)));
    if (Result<Url> url = ParseUrl(fmt::format("{}://{}", http, address)); !address.empty() && url)
      name_nodes.push_back(std::move(*url));
  }
  return name_nodes;
}

// Delegation token; empty = none.
Result<std::string> ReadToken() {
  const char* const file = std::getenv("HADOOP_TOKEN_FILE_LOCATION");
  if (file == nullptr || *file == '\0') return std::string();
  const Result<std::string> tokens = ReadFile(file);
  if (!tokens) return tl::unexpected(tokens.error());
  Result<std::string> token = HdfsTokenOf(*tokens);
  if (!token) return Fail(fmt::format("{}: {}", file, token.error().message));
  return token;
}

struct Folder {
  std::string below_root;  // "", "/a", "/a/b"
  int depth = 0;
};

struct FolderPage {
  std::vector<Folder> folders;
  std::string last;  // last name, from which the next page continues
  bool has_more = false;
};

class WebHdfsStorage : public Storage {
 public:
  WebHdfsStorage(std::string root, const StorageOptions& options) : root_(std::move(root)), options_(options) {}

  Result<void> Configure() {
    const std::string scheme = root_.substr(0, root_.find(':'));
    const std::string http = scheme == "swebhdfs" ? "https" : "http";
    const std::string rest = root_.substr(scheme.size());
    const Result<Url> url = ParseUrl(http + rest);
    if (!url) return Fail(fmt::format("{}: {}; expected {}://HOST:PORT/PATH", root_, url.error().message, scheme));
    Url base = *url;
    is_https_ = base.scheme == "https";
    const std::string authority = rest.substr(3, rest.find('/', 3) - 3);
    if (authority.find(':', authority.rfind(']') + 1) == std::string::npos || authority.ends_with(']')) {
      base.port = http == "https" ? kHttpsPort : kHttpPort;
      has_port_ = false;
    }
    if (const std::vector<Url> known = NameNodesOf(scheme, base.host); !has_port_ && !known.empty())
      name_nodes_ = known;
    if (name_nodes_.empty()) name_nodes_ = {base};
    const size_t path = rest.find('/', 3);
    path_ = path == std::string::npos ? std::string() : rest.substr(path);
    may_be_rpc_ = scheme == "hdfs";
    port_ = base.port;
    user_ = UserName();
    const Result<std::string> token = ReadToken();
    if (!token) return tl::unexpected(token.error());
    token_ = *token;
    return {};
  }

  const std::string& Root() const override { return root_; }
  bool IsRemote() const override { return true; }

  Result<StorageListing> List() override {
    ListingBuilder listing(options_);
    std::vector<Folder> waiting{{}};
    while (!waiting.empty() && !listing.IsFull()) {
      const Folder folder = std::move(waiting.back());
      waiting.pop_back();
      FolderPage page;
      do {
        Result<FolderPage> read = ListPage(folder, page.last, &listing);
        if (!read) return tl::unexpected(read.error());
        page = std::move(*read);
        for (Folder& inner : page.folders) waiting.push_back(std::move(inner));
      } while (page.has_more && !listing.IsFull());
    }
    return listing.Take();
  }

  Result<std::string> Read(const std::string& name, int64_t offset, size_t size) override {
    if (size == 0) return std::string();
    const std::string query = fmt::format("op=OPEN&offset={}&length={}", offset, size);
    const Result<HttpResponse> answer = AskDataNode({}, name, query, size + kMaxHdfsErrorBytes);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->status != 200) {
      // Hadoop rejects an offset beyond the end.
      if (answer->status == 403 && answer->Body().find("out of the range") != std::string_view::npos)
        return std::string();
      return tl::unexpected(ErrorOf(name, *answer));
    }
    return std::string(answer->Body().substr(0, size));
  }

  // A file gets its name when it is complete, because readers see one that is being written. A rename fails if the name
  // exists.
  Result<bool> Create(const std::string& name, std::string_view content) override {
    const Result<std::string> unique = NewUploadSecret();
    if (!unique) return tl::unexpected(unique.error());
    const std::string temporary = root_ + "/tmp/" + *unique;
    const StorageRequest put{"PUT", content, {{"content-type", "application/octet-stream"}}};
    // Nobody else has this name: overwriting repeats a request that failed halfway.
    const Result<HttpResponse> written =
        AskDataNode(put, temporary, "op=CREATE&overwrite=true&permission=600", kMaxHdfsErrorBytes);
    if (!written) return tl::unexpected(written.error());
    if (written->status / 100 != 2) return tl::unexpected(ErrorOf(temporary, *written));
    const Result<bool> renamed = Rename(temporary, name);
    if (renamed && *renamed) return true;
    (void)Remove(temporary);
    if (!renamed) return renamed;
    // An earlier request whose answer was lost may have created it.
    const Result<std::string> there = Read(name, 0, content.size() + 1);
    if (!there) return tl::unexpected(there.error());
    return *there == content;
  }

  Result<std::optional<std::string>> ReadIfExists(const std::string& name, uint64_t max_bytes) override {
    const Result<HttpResponse> answer = AskDataNode({}, name, "op=OPEN", max_bytes);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->status == 200) return std::string(answer->Body());
    if (answer->status == 404) return std::nullopt;
    return tl::unexpected(ErrorOf(name, *answer));
  }

  Result<void> Remove(const std::string& name) override {
    const Result<HttpResponse> answer =
        Send({"DELETE"}, name.substr(root_.size()), "op=DELETE&recursive=false", kMaxHdfsErrorBytes);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->status == 200 || answer->status == 404) return {};
    return tl::unexpected(ErrorOf(name, *answer));
  }

  Result<void> MakeFolders(const std::vector<std::string>& names) override {
    for (const std::string& name : names) {
      const Result<HttpResponse> answer =
          Send({"PUT"}, name.substr(root_.size()), "op=MKDIRS&permission=700", kMaxHdfsErrorBytes);
      if (!answer) return tl::unexpected(answer.error());
      if (answer->status != 200) return tl::unexpected(ErrorOf(name, *answer));
    }
    return {};
  }

 private:
  // False if the new name exists or `name` does not.
  Result<bool> Rename(const std::string& name, const std::string& to) {
    const std::string target = path_ + to.substr(root_.size());
    // A rename also fails without the folder.
    if (Result<void> made = MakeParent(to); !made) return tl::unexpected(made.error());
    const Result<HttpResponse> answer =
        Send({"PUT"}, name.substr(root_.size()), "op=RENAME&destination=" + PercentEncode(target), kMaxHdfsErrorBytes);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->status != 200) return tl::unexpected(ErrorOf(to, *answer));
    return answer->Body().find("true") != std::string_view::npos;
  }

  // Makes the folder of a file, once for each folder.
  Result<void> MakeParent(const std::string& name) {
    const std::string folder = name.substr(0, name.rfind('/'));
    {
      const std::lock_guard lock(made_mutex_);
      if (made_.contains(folder)) return {};
    }
    if (Result<void> made = MakeFolders({folder}); !made) return made;
    const std::lock_guard lock(made_mutex_);
    made_.insert(folder);
    return {};
  }

  // Sends a request to the NameNode, and then to the DataNode that it names, with the body.
  Result<HttpResponse> AskDataNode(const StorageRequest& request, const std::string& name, const std::string& query,
                                   uint64_t max_bytes) {
    Result<HttpResponse> answer = Send({request.method}, name.substr(root_.size()), query, max_bytes);
    for (int redirects = 0; answer && answer->status >= 301 && answer->status <= 308; ++redirects) {
      const Result<Url> target = RedirectOf(name, *answer);
      if (!target) return tl::unexpected(target.error());
      if (redirects == kMaxRedirects) return Fail(fmt::format("{}: more than {} redirects", name, kMaxRedirects));
      answer = SendPatiently(request, *target, request.headers, max_bytes, options_);
    }
    return answer;
  }

  // Adds the files of one page to `listing`. Skips an unreadable folder below the root.
  Result<FolderPage> ListPage(const Folder& folder, const std::string& after, ListingBuilder* listing) {
    const std::string name = root_ + folder.below_root;
    std::string query = has_batches_ ? "op=LISTSTATUS_BATCH" : "op=LISTSTATUS";
    if (!after.empty()) query += "&startAfter=" + PercentEncode(after);
    Result<HttpResponse> answer = Send({}, folder.below_root, query, kMaxHdfsListBytes);
    if (answer && answer->status == 400 && has_batches_) {  // Hadoop before 2.8
      has_batches_ = false;
      answer = Send({}, folder.below_root, "op=LISTSTATUS", kMaxHdfsListBytes);
    }
    if (!answer) return tl::unexpected(answer.error());
    const bool is_root = folder.below_root.empty();
    if (answer->status == 404 && !is_root) return FolderPage();  // just deleted
    if (answer->status != 200) {
      Error error = ErrorOf(name, *answer);
      const bool may_not = answer->status == 403 && !is_root;
      if (!may_not) return tl::unexpected(std::move(error));
      listing->LeaveOut(name, std::move(error.message));
      return FolderPage();
    }
    return ReadPage(folder, answer->Body(), listing);
  }

  void AddFile(const std::string& name, const simdjson::dom::object& file, ListingBuilder* listing) const {
    constexpr int64_t kLastMillis = INT64_MAX / kNanosPerMilli;
    const int64_t size = IntegerAt(file, "length", -1);
    const int64_t millis = std::clamp<int64_t>(IntegerAt(file, "modificationTime", 0), 0, kLastMillis);
    const std::string_view owner = options_.with_owners ? TextAt(file, "owner") : std::string_view();
    if (size >= 0) listing->Add({name, size, millis * kNanosPerMilli, std::string(owner)});
  }

  Result<FolderPage> ReadPage(const Folder& folder, std::string_view body, ListingBuilder* listing) const {
    simdjson::dom::parser parser;
    simdjson::dom::object document, batch, partial, statuses;
    const auto parsed = parser.parse(simdjson::padded_string(body));
    if (parsed.get_object().get(document) != simdjson::SUCCESS) return Fail(root_ + ": expected JSON from WebHDFS");
    FolderPage page;
    partial = document;
    if (ObjectAt(document, "DirectoryListing", &batch)) {
      page.has_more = IntegerAt(batch, "remainingEntries", 0) > 0;
      if (!ObjectAt(batch, "partialListing", &partial)) return Fail(root_ + ": expected a partialListing from WebHDFS");
    }
    simdjson::dom::array files;
    if (!ObjectAt(partial, "FileStatuses", &statuses) ||
        statuses.at_key("FileStatus").get_array().get(files) != simdjson::SUCCESS) {
      return Fail(root_ + ": expected FileStatuses from WebHDFS");
    }
    for (const simdjson::dom::element entry : files) {
      simdjson::dom::object file;
      if (entry.get_object().get(file) != simdjson::SUCCESS) continue;
      const std::string own(TextAt(file, "pathSuffix"));
      if (own.empty() && folder.below_root.empty() && TextAt(file, "type") == "FILE")
        AddFile(root_, file, listing);  // the root is a file
      if (own.empty() || own == "." || own == ".." || own.find('/') != std::string::npos) continue;
      page.last = own;
      const std::string below_root = folder.below_root + "/" + own;
      const std::string_view type = TextAt(file, "type");
      if (type == "FILE") {
        AddFile(root_ + below_root, file, listing);
      } else if (type == "DIRECTORY" && listing->MayEnter(root_ + below_root, folder.depth + 1)) {
        page.folders.push_back({below_root, folder.depth + 1});
      } else if (type == "SYMLINK") {
        listing->LeaveOut(root_ + below_root, "symbolic links are not followed");
      }
    }
    // An empty page that claims to have more would cause an endless loop.
    page.has_more = page.has_more && !page.last.empty();
    return page;
  }

  // Asks the NameNode that responded last; if it does not respond or is in standby, the others of its nameservice.
  Result<HttpResponse> Send(const StorageRequest& request, std::string_view below_root, const std::string& query,
                            uint64_t max_bytes) {
    const size_t first = active_;
    Result<HttpResponse> answer = SendTo(first, request, below_root, query, max_bytes);
    for (size_t more = 1; more < name_nodes_.size(); ++more) {
      const bool stands_by =
          answer && answer->status != 200 && answer->Body().find("StandbyException") != std::string_view::npos;
      if (answer && !stands_by) break;
      const size_t next = (first + more) % name_nodes_.size();
      Result<HttpResponse> other = SendTo(next, request, below_root, query, max_bytes);
      if (!other) continue;
      answer = std::move(other);
      active_ = next;
    }
    return answer;
  }

  Result<HttpResponse> SendTo(size_t name_node, const StorageRequest& request, std::string_view below_root,
                              const std::string& query, uint64_t max_bytes, bool may_ask_for_token = true) {
    Url url = name_nodes_[name_node];
    if (name_nodes_.size() == 1) url.port = port_;
    url.target = fmt::format("/webhdfs/v1{}?{}", EncodeHdfsPath(path_ + std::string(below_root)), query);
    if (path_.empty() && below_root.empty()) url.target = "/webhdfs/v1/?" + query;
    // A token includes its user.
    const std::string token = Token();
    if (!token.empty()) {
      url.target += "&delegation=" + token;
    } else if (!user_.empty()) {
      url.target += "&user.name=" + PercentEncode(user_);
    }
    Result<HttpResponse> answer = SendPatiently(request, url, {}, max_bytes, options_);
    const bool is_refused = answer && (answer->status == 401 || (answer->status == 403 && !token.empty()));
    if (is_refused && !token.empty() && HasNewToken(token)) {
      return SendTo(name_node, request, below_root, query, max_bytes);
    }
    if (is_refused && may_ask_for_token && (has_own_token_ || WantsKerberos(*answer))) {
      if (Result<void> asked = AskForOwnToken(url, token); !asked) {
        return Fail(
            fmt::format("{}: {} (run kinit, set KRB5_CLIENT_KTNAME to a keytab, or run `hdfs fetchdt "
                        "--renewer null FILE` and set HADOOP_TOKEN_FILE_LOCATION=FILE)",
                        root_, asked.error().message));
      }
      return SendTo(name_node, request, below_root, query, max_bytes, false);
    }
    if (!answer && !has_port_ && name_nodes_.size() == 1) {
      return Fail(
          fmt::format("{} (expected the NameNode's host, or a nameservice of hdfs-site.xml in the folder that "
                      "HADOOP_CONF_DIR names)",
                      answer.error().message));
    }
    const bool is_rpc = answer && answer->Body().find("HTTP request to a Hadoop IPC port") != std::string_view::npos;
    if (!is_rpc) return answer;
    if (!may_be_rpc_ || port_ == kHttpPort) {
      return Fail(fmt::format("{}: this port is for Hadoop's own protocol; name the NameNode's HTTP port, usually {}",
                              root_, kHttpPort));
    }
    port_ = kHttpPort;
    return SendTo(name_node, request, below_root, query, max_bytes);
  }

  std::string Token() const {
    const std::lock_guard lock(token_mutex_);
    return token_;
  }

  // Tokens expire. Whether the file now has another token than `refused`.
  bool HasNewToken(const std::string& refused) {
    Result<std::string> token = ReadToken();
    if (!token || token->empty() || *token == refused) return false;
    const std::lock_guard lock(token_mutex_);
    token_ = std::move(*token);
    return true;
  }

  static bool WantsKerberos(const HttpResponse& answer) {
    return answer.status == 401 && answer.Header("www-authenticate").starts_with("Negotiate");
  }

  // Requests a delegation token with Kerberos, unless another thread has replaced `refused` meanwhile. Each request
  // needs its own ticket, but a token is valid for all requests and for the DataNodes.
  Result<void> AskForOwnToken(Url url, const std::string& refused) {
    const std::lock_guard lock(token_mutex_);
    if (token_ != refused) return {};
    const Result<std::string> ticket = NegotiateHeader(url.host);
    if (!ticket) return tl::unexpected(ticket.error());
    url.target = "/webhdfs/v1/?op=GETDELEGATIONTOKEN";
    const Result<HttpResponse> answer = GetPatiently(url, {{"authorization", *ticket}}, kMaxHdfsErrorBytes, options_);
    if (!answer) return tl::unexpected(answer.error());
    simdjson::dom::parser parser;
    simdjson::dom::object document, token;
    const auto parsed = parser.parse(simdjson::padded_string(answer->Body()));
    if (answer->status != 200 || parsed.get_object().get(document) != simdjson::SUCCESS ||
        !ObjectAt(document, "Token", &token) || TextAt(token, "urlString").empty()) {
      return Fail(fmt::format("no delegation token by Kerberos: {}", ErrorOf(url.host, *answer).message));
    }
    token_ = TextAt(token, "urlString");
    has_own_token_ = true;
    return {};
  }

  Result<Url> RedirectOf(const std::string& name, const HttpResponse& answer) const {
    Result<Url> target = ParseUrl(answer.Header("location"));
    if (!target) return Fail(fmt::format("{}: redirected: {}", name, target.error().message));
    if (is_https_ && target->scheme != "https") return Fail(name + ": redirected to an address without TLS");
    return target;
  }

  static Error ErrorOf(const std::string& place, const HttpResponse& answer) {
    simdjson::dom::parser parser;
    simdjson::dom::object document, exception;
    std::string text;
    const auto parsed = parser.parse(simdjson::padded_string(answer.Body()));
    if (parsed.get_object().get(document) == simdjson::SUCCESS && ObjectAt(document, "RemoteException", &exception)) {
      text = fmt::format("{}: {}", TextAt(exception, "exception"), TextAt(exception, "message"));
    }
    if (text.starts_with("StandbyException")) text += " (name the active NameNode, or a nameservice of hdfs-site.xml)";
    return UnexpectedAnswer(place, answer, text);
  }

  const std::string root_;
  const StorageOptions options_;
  bool is_https_ = false;
  std::vector<Url> name_nodes_;  // NameNodes of the nameservice; else the location's host
  std::atomic<size_t> active_ = 0;
  std::string path_;  // path of the root: "" or "/a/b"
  std::string user_;
  mutable std::mutex token_mutex_;
  std::string token_;
  std::atomic<bool> has_own_token_ = false;  // token from Kerberos, not from a file
  bool may_be_rpc_ = false;
  bool has_port_ = true;  // whether the location contains a port
  std::atomic<uint16_t> port_ = 0;
  std::atomic<bool> has_batches_ = true;
  std::mutex made_mutex_;
  std::set<std::string> made_;  // folders that this process made
};

}  // namespace

Result<std::unique_ptr<Storage>> OpenWebHdfsStorage(const std::string& location, const StorageOptions& options) {
  std::string root = location;
  while (root.ends_with('/')) root.pop_back();
  auto storage = std::make_unique<WebHdfsStorage>(std::move(root), options);
  if (Result<void> configured = storage->Configure(); !configured) return tl::unexpected(configured.error());
  return storage;
}

}  // namespace sparkprof
