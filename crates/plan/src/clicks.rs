//! Which page leads to which: what users who follow links are made from.

use crate::{PlanError, Request};
use serde::{Deserialize, Serialize};

/// The pages of a site and their links, as `warwolf crawl --clicks` writes them (JSON). Visits begin at the first page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClickModel {
    /// Version of the format: 1.
    warwolf_clicks: u32,
    /// The pages, at least one.
    pages: Vec<ClickPage>,
}

/// A page and where it leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClickPage {
    url: String,
    /// By places in the list of pages.
    #[serde(default)]
    links: Vec<u32>,
}

const VERSION: u32 = 1;

impl ClickModel {
    /// A model of these pages, each with the places of those that it leads to.
    #[must_use]
    pub fn new(pages: Vec<(String, Vec<u32>)>) -> Self {
        let pages = pages.into_iter().map(|(url, links)| ClickPage { url, links }).collect();
        Self { warwolf_clicks: VERSION, pages }
    }

    /// The text that [`parse`](Self::parse) reads back.
    #[must_use]
    pub fn print(&self) -> String {
        // Texts and numbers can always be written.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Reads a model: the requests of its pages, and for each where it leads.
    ///
    /// # Errors
    /// A text that is no such model, and the first page that is none.
    pub fn parse(text: &str) -> Result<(Vec<Request>, Vec<Vec<u32>>), PlanError> {
        let wrong = |value: &str, remedy: &str| PlanError::new("clicks", value, remedy);
        let model: Self = serde_json::from_str(text)
            .map_err(|error| wrong(&error.to_string(), "use a file that `warwolf crawl --clicks` wrote"))?;
        if model.warwolf_clicks != VERSION {
            return Err(wrong(
                &model.warwolf_clicks.to_string(),
                "this version of the format is not known; crawl again",
            ));
        }
        if model.pages.is_empty() {
            return Err(wrong("no page", "crawl a site that answers"));
        }
        let count = model.pages.len();
        let mut requests = Vec::with_capacity(count);
        let mut links = Vec::with_capacity(count);
        for page in model.pages {
            if let Some(link) = page.links.iter().find(|link| **link as usize >= count) {
                return Err(wrong(
                    &link.to_string(),
                    &format!("use the places of pages, 0 to {}", count - 1),
                ));
            }
            let request = Request::get(&page.url);
            requests.push(request.map_err(|error| PlanError { field: "clicks".to_owned(), ..error })?);
            links.push(page.links);
        }
        Ok((requests, links))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_back() {
        let pages = vec![("http://a.test/".to_owned(), vec![1]), ("http://a.test/b?x".to_owned(), vec![])];
        let (requests, links) = ClickModel::parse(&ClickModel::new(pages).print()).unwrap();
        assert_eq!(
            requests.iter().map(Request::url).collect::<Vec<_>>(),
            ["http://a.test/", "http://a.test/b?x"]
        );
        assert_eq!(links, [vec![1], vec![]]);
    }

    #[test]
    fn what_is_no_model_is_refused_with_a_remedy() {
        for text in [
            "",
            "{}",
            r#"{"warwolf_clicks":2,"pages":[{"url":"http://a.test/"}]}"#,
            r#"{"warwolf_clicks":1,"pages":[]}"#,
            r#"{"warwolf_clicks":1,"pages":[{"url":"http://a.test/","links":[1]}]}"#,
            r#"{"warwolf_clicks":1,"pages":[{"url":"ftp://a.test/"}]}"#,
        ] {
            let error = ClickModel::parse(text).unwrap_err();
            assert!(error.field == "clicks" && !error.remedy.is_empty(), "{text}");
        }
    }
}
