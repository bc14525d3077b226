#ifndef KINFORMER_SRC_APISERVER_WATCH_STATUS_TEXT_H_
#define KINFORMER_SRC_APISERVER_WATCH_STATUS_TEXT_H_

// In:     an Error
// Out:    the Status object that a client gets
// Thread: any; pure
// Next:   WatchServer (ERROR events), the endpoints (answers)

#include <string>
#include <string_view>

#include <kinformer/base/error.h>

namespace kinformer::apiserver {

/// The HTTP status of an answer that says this: the error's own, else the one that its code stands for.
int HttpStatusOf(const Error& error);

/// A Status of failure. `continue_token` goes into its metadata.
std::string StatusText(const Error& error, std::string_view continue_token = {});

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_WATCH_STATUS_TEXT_H_
