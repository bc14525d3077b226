#include "progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "terminal.h"

namespace {

constexpr std::size_t kBarWidth = 30;

}  // namespace

std::string ToString(const Progress& progress) {
  std::string text;
  if (progress.remaining) {
    const auto total = progress.pods + static_cast<std::size_t>(std::max<std::int64_t>(0, *progress.remaining));
    const std::size_t filled = total == 0 ? kBarWidth : kBarWidth * progress.pods / total;
    text = "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] " +
           std::to_string(progress.pods) + " of " + std::to_string(total) + " pods";
  } else {
    text = std::to_string(progress.pods) + " pods";
  }
  std::array<char, 64> figure{};
  std::snprintf(figure.data(), figure.size(), ", %.1f MB", static_cast<double>(progress.bytes) / 1e6);
  text += figure.data();
  if (progress.seconds > 0.2) {  // before that it says nothing
    std::snprintf(figure.data(), figure.size(), ", %.0f/s", static_cast<double>(progress.pods) / progress.seconds);
    text += figure.data();
  }
  return text;
}

ProgressBar::ProgressBar(bool enabled) : enabled_(enabled && CanDraw(STDERR_FILENO)) {}

ProgressBar::~ProgressBar() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::Show(const Progress& progress) {
  if (!enabled_) return;
  std::fputs(("\rlisting  " + ToString(progress) + "\033[K").c_str(), stderr);
  shown_ = true;
}
