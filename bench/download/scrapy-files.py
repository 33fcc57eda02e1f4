"""Fetches a list of URLs with Scrapy's files pipeline: python3 scrapy-files.py OUT LIST AT_ONCE"""
import sys

import scrapy
from scrapy.crawler import CrawlerProcess

out, list_file, at_once = sys.argv[1], sys.argv[2], int(sys.argv[3])


class Files(scrapy.Spider):
    name = "files"
    start_urls = ["data:,"]

    def parse(self, response):
        for url in open(list_file).read().split():
            yield {"file_urls": [url]}


process = CrawlerProcess(
    {
        "ITEM_PIPELINES": {"scrapy.pipelines.files.FilesPipeline": 1},
        "FILES_STORE": out,
        "LOG_LEVEL": "ERROR",
        "CONCURRENT_REQUESTS": at_once,
        "CONCURRENT_REQUESTS_PER_DOMAIN": at_once,
        "CONCURRENT_ITEMS": at_once,
        "TELNETCONSOLE_ENABLED": False,
        "DOWNLOAD_MAXSIZE": 0,
        "DOWNLOAD_WARNSIZE": 0,
    }
)
process.crawl(Files)
process.start()
